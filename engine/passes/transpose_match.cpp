// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/transpose_match.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::passes {
namespace {

constexpr std::array<std::string_view, 25> kUnary = {
    "Abs",     "Cast",        "Ceil",      "Clip",      "Cos",      "Elu",  "Erf",        "Exp",  "Floor",
    "Gelu",    "HardSigmoid", "HardSwish", "LeakyRelu", "Log",      "Neg",  "Reciprocal", "Relu", "Round",
    "Sigmoid", "Sign",        "Sin",       "Softplus",  "Softsign", "Sqrt", "Tanh"};
constexpr std::array<std::string_view, 7> kBinary = {"Add", "Div", "Max", "Min", "Mul", "Pow", "Sub"};

template <std::size_t N>
bool is_one_of(const Node& node, const std::array<std::string_view, N>& types) {
  return node.domain.empty() && std::find(types.begin(), types.end(), node.op_type) != types.end();
}

}  // namespace

std::optional<Permutation> match_transpose(const Node& node) {
  if (!node.domain.empty() || node.op_type != "Transpose" || !node.has_attribute("perm")) {
    return std::nullopt;
  }
  Permutation perm = node.ints_attribute("perm");
  Permutation sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  return is_identity(sorted) && !perm.empty() ? std::optional(std::move(perm)) : std::nullopt;
}

Permutation compose(const Permutation& first, const Permutation& second) {
  Permutation out;
  for (const Index axis : second) {
    out.push_back(first[static_cast<std::size_t>(axis)]);
  }
  return out;
}

Permutation inverse(const Permutation& perm) {
  Permutation out(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    out[static_cast<std::size_t>(perm[i])] = static_cast<Index>(i);
  }
  return out;
}

bool is_identity(const Permutation& perm) {
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<Index>(i)) {
      return false;
    }
  }
  return true;
}

bool is_elementwise_unary(const Node& node) { return is_one_of(node, kUnary) && node.outputs.size() == 1; }
bool is_elementwise_binary(const Node& node) { return is_one_of(node, kBinary) && node.inputs.size() == 2; }

}  // namespace assay::passes
