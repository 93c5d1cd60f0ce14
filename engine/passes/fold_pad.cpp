// SPDX-License-Identifier: Apache-2.0
// Pad in front of an operator that pads by itself: zeros before Conv, zeros before an AveragePool that counts its
// padding or has none, -infinity before MaxPool.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr Index kFirstOpsetOfInputs = 11;

struct ConstantPad {
  std::vector<Index> pads;  // of every dimension: begins, then ends
  double value = 0;
};

// A Pad of the mode constant by constant amounts, none below 0.
std::optional<ConstantPad> match_pad(const Graph& graph, const Node& node) {
  if (node.op_type != "Pad" || !node.domain.empty() || node.string_attribute("mode", "constant") != "constant") {
    return std::nullopt;
  }
  ConstantPad pad;
  if (graph.opset() < kFirstOpsetOfInputs) {
    pad.pads = node.ints_attribute("pads");
    pad.value = static_cast<double>(node.float_attribute("value", 0));
  } else {
    const Tensor* pads = graph.constant(node.input(1));
    const Tensor* value = graph.constant(node.input(2));
    if (pads == nullptr || !node.input(3).empty() ||
        (!node.input(2).empty() && (value == nullptr || value->size() != 1))) {
      return std::nullopt;
    }
    pad.pads = pads->to_indices();
    pad.value = value == nullptr ? 0 : value->to_doubles()[0];
  }
  const bool adds = std::all_of(pad.pads.begin(), pad.pads.end(), [](Index amount) { return amount >= 0; });
  return adds ? std::optional(std::move(pad)) : std::nullopt;
}

// The amounts of the spatial dimensions, if the others have none.
std::optional<std::vector<Index>> spatial_pads(const std::vector<Index>& pads, std::size_t spatial) {
  const std::size_t rank = spatial + 2;
  if (pads.size() != 2 * rank || pads[0] != 0 || pads[1] != 0 || pads[rank] != 0 || pads[rank + 1] != 0) {
    return std::nullopt;
  }
  std::vector<Index> out(pads.begin() + 2, pads.begin() + static_cast<std::ptrdiff_t>(rank));
  out.insert(out.end(), pads.begin() + static_cast<std::ptrdiff_t>(rank) + 2, pads.end());
  return out;
}

bool is_zero(const std::vector<Index>& pads) {
  return std::all_of(pads.begin(), pads.end(), [](Index amount) { return amount == 0; });
}

// Whether the operator's own padding is what the Pad puts there; a pooling also wants every window to meet the input.
bool accepts(const Graph& graph, const Node& node, const ConstantPad& pad, const std::vector<Index>& sum) {
  if (node.op_type == "Conv") {
    const Tensor* weight = graph.constant(node.input(1));
    return pad.value == 0 && weight != nullptr && weight->dtype() == DType::kFloat32;
  }
  const std::vector<Index> kernel = node.ints_attribute("kernel_shape");
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] >= kernel[i % kernel.size()]) {
      return false;
    }
  }
  if (node.int_attribute("ceil_mode", 0) != 0 || node.outputs.size() != 1) {
    return false;
  }
  if (node.op_type == "MaxPool") {
    return pad.value == -std::numeric_limits<double>::infinity();
  }
  const bool counts = node.int_attribute("count_include_pad", 0) != 0;
  return node.op_type == "AveragePool" && pad.value == 0 && (counts || is_zero(node.ints_attribute("pads")));
}

bool is_candidate(const Node& node) {
  return node.domain.empty() &&
         (node.op_type == "Conv" || node.op_type == "MaxPool" || node.op_type == "AveragePool") &&
         node.string_attribute("auto_pad", "NOTSET") == "NOTSET";
}

std::size_t spatial_rank(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "Conv" ? graph.constant(node.input(1)) : nullptr;
  return weight == nullptr ? node.ints_attribute("kernel_shape").size()
                           : weight->rank() - std::min<std::size_t>(2, weight->rank());
}

Result<bool> fold_at(Graph& graph, const GraphIndex& index, const FactTable& facts, std::size_t i) {
  const Node& node = graph.nodes[i];
  const Index maker = is_candidate(node) ? index.producer(node.input(0)) : -1;
  if (maker < 0 || !is_used_once(graph, index, node.input(0))) {
    return false;
  }
  const Node& before = graph.nodes[static_cast<std::size_t>(maker)];
  const auto pad = match_pad(graph, before);
  const std::size_t spatial = spatial_rank(graph, node);
  const auto added = pad.has_value() && spatial > 0 ? spatial_pads(pad->pads, spatial) : std::nullopt;
  if (!added.has_value() || !facts.is_float(before.input(0))) {
    return false;
  }
  std::vector<Index> sum = *added;
  const std::vector<Index> own = node.ints_attribute("pads");
  for (std::size_t j = 0; j < own.size() && j < sum.size(); ++j) {
    sum[j] += own[j];
  }
  if (!accepts(graph, node, *pad, sum)) {
    return false;
  }
  Node folded = node;
  folded.inputs[0] = before.input(0);
  folded.attributes["pads"] = sum;
  if (node.op_type == "AveragePool") {
    folded.attributes["count_include_pad"] = Index{1};
  }
  folded.origin = "fold_pad";
  graph.nodes[i] = std::move(folded);
  return true;
}

}  // namespace

Result<Index> fold_pad(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(
      graph, [&](Graph& g, const GraphIndex& index, std::size_t i) { return fold_at(g, index, facts, i); });
}

}  // namespace assay::passes
