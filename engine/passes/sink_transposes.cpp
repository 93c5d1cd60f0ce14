// SPDX-License-Identifier: Apache-2.0
// Transpose moves behind a function of single elements, f(transpose(x)) = transpose(f(x)):
//   - of one operand, or with a constant of one element, where another Transpose waits down the line;
//   - of two operands transposed alike, always: one Transpose less.
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/transpose_match.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "sink_transposes";

const Node* maker_of(const Graph& graph, const ValueIndex& index, const std::string& value) {
  const Index position = index.producer(value);
  return position < 0 ? nullptr : &graph.nodes[static_cast<std::size_t>(position)];
}

// A constant of one element that adds no dimension.
bool is_single(const Graph& graph, const std::string& value, std::size_t rank) {
  const Tensor* constant = graph.constant(value);
  return constant != nullptr && constant->size() == 1 && constant->rank() <= rank;
}

// Which operand of an element-wise node varies; the others are constants that a permutation leaves alone.
std::optional<std::size_t> varying_operand(const Graph& graph, const Node& node, std::size_t rank) {
  if (is_elementwise_unary(node)) {
    return 0;
  }
  if (!is_elementwise_binary(node)) {
    return std::nullopt;
  }
  for (const std::size_t i : {0, 1}) {
    if (is_single(graph, node.inputs[1 - i], rank)) {
      return i;
    }
  }
  return std::nullopt;
}

// Whether the value runs through such nodes alone into a Transpose.
bool reaches_transpose(const Graph& graph, const ValueIndex& index, const std::string& value, std::size_t rank) {
  const std::string* current = &value;
  while (is_used_once(graph, index, *current)) {
    const Node& user = graph.nodes[static_cast<std::size_t>(index.consumers(*current).front())];
    if (match_transpose(user).has_value()) {
      return true;
    }
    const auto operand = varying_operand(graph, user, rank);
    if (!operand.has_value() || user.inputs[*operand] != *current) {
      return false;
    }
    current = &user.outputs[0];
  }
  return false;
}

// Puts a Transpose behind node i, which now reads what the Transposes in front of it read.
void sink(Graph& graph, std::size_t i, const Node& transpose, Node node) {
  const std::string output = node.outputs[0];
  const std::string before = fresh_name(graph, output + "_before_transpose");
  Node behind = transpose;
  behind.name = fresh_name(graph, node.name + "_transpose");
  behind.inputs = {before};
  behind.outputs = {output};
  behind.origin = kName;
  node.outputs[0] = before;
  node.origin = kName;
  graph.nodes[i] = std::move(node);
  graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(behind));
}

bool sink_through_one(Graph& graph, const ValueIndex& index, std::size_t i) {
  Node node = graph.nodes[i];
  for (std::size_t j = 0; j < node.inputs.size(); ++j) {
    const Node* maker = maker_of(graph, index, node.inputs[j]);
    const auto perm = maker == nullptr ? std::nullopt : match_transpose(*maker);
    if (!perm.has_value() || varying_operand(graph, node, perm->size()) != j ||
        !is_used_once(graph, index, node.inputs[j]) ||
        !reaches_transpose(graph, index, node.outputs[0], perm->size())) {
      continue;
    }
    const Node transpose = *maker;
    node.inputs[j] = transpose.inputs[0];
    sink(graph, i, transpose, std::move(node));
    return true;
  }
  return false;
}

bool sink_through_two(Graph& graph, const ValueIndex& index, std::size_t i) {
  Node node = graph.nodes[i];
  if (!is_elementwise_binary(node) || node.inputs[0] == node.inputs[1]) {
    return false;
  }
  const Node* left = maker_of(graph, index, node.inputs[0]);
  const Node* right = maker_of(graph, index, node.inputs[1]);
  const auto perm = left == nullptr ? std::nullopt : match_transpose(*left);
  if (!perm.has_value() || right == nullptr || match_transpose(*right) != perm ||
      !is_used_once(graph, index, node.inputs[0]) || !is_used_once(graph, index, node.inputs[1])) {
    return false;
  }
  const Node transpose = *left;
  node.inputs = {left->inputs[0], right->inputs[0]};
  sink(graph, i, transpose, std::move(node));
  return true;
}

}  // namespace

Result<Index> sink_transposes(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, [](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    return sink_through_two(g, index, i) || sink_through_one(g, index, i);
  });
}

}  // namespace assay::passes
