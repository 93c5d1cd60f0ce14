// SPDX-License-Identifier: Apache-2.0
// Nodes that give their first input back, element for element and in the same shape.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

bool all_equal(const Tensor* tensor, double value) {
  if (tensor == nullptr) {
    return false;
  }
  const std::vector<double> values = tensor->to_doubles();
  return std::all_of(values.begin(), values.end(),
                     [&](double element) { return element == value && !std::signbit(element); });
}

bool is_any(const Node& node, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), node.op_type) != types.end();
}

// x * 1, x / 1, x - 0. (x + 0 and x - -0 make 0 of -0.)
bool is_neutral_arithmetic(const Graph& graph, const Node& node) {
  const bool scales = is_any(node, {"Mul", "Div"});
  return (scales || node.op_type == "Sub") && node.inputs.size() == 2 &&
         all_equal(graph.constant(node.input(1)), scales ? 1 : 0);
}

bool is_in_order(const std::vector<Index>& perm) {
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<Index>(i)) {
      return false;
    }
  }
  return !perm.empty();
}

bool has_zero_pads(const Graph& graph, const Node& node) {
  if (node.inputs.size() > 1) {
    return all_equal(graph.constant(node.input(1)), 0);
  }
  const std::vector<Index> pads = node.ints_attribute("pads");
  return node.has_attribute("pads") && std::all_of(pads.begin(), pads.end(), [](Index pad) { return pad == 0; });
}

// With an output of the input's shape these have moved nothing.
bool is_whole_if_same_shape(const Graph& graph, const Node& node) {
  if (node.op_type == "Slice") {  // a step of -1 keeps the shape too
    return node.input(4).empty() || all_equal(graph.constant(node.input(4)), 1);
  }
  return is_any(node, {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand"}) || is_neutral_arithmetic(graph, node);
}

bool is_no_op(const Graph& graph, const FactTable& facts, const Node& node) {
  if (!node.domain.empty() || node.outputs.size() != 1 || node.inputs.empty()) {
    return false;
  }
  const ValueFacts& input = facts.of(node.inputs[0]);
  const ValueFacts& output = facts.of(node.outputs[0]);
  if (node.op_type == "Cast") {
    return input.dtype != DType::kUndefined && input.dtype == output.dtype;
  }
  if (node.op_type == "Transpose") {
    return is_in_order(node.ints_attribute("perm"));
  }
  if (is_any(node, {"Concat", "Sum", "Max", "Min"})) {
    return node.inputs.size() == 1;
  }
  if (node.op_type == "Pad") {
    return has_zero_pads(graph, node);
  }
  if (node.op_type == "Tile") {
    return node.inputs.size() == 2 && all_equal(graph.constant(node.input(1)), 1);
  }
  return is_whole_if_same_shape(graph, node) && same_dims(input, output);
}

}  // namespace

Result<Index> eliminate_no_op(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(graph, [&](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    const Node node = g.nodes[i];
    return is_no_op(g, facts, node) && forward_value(g, index, node.outputs[0], node.inputs[0]);
  });
}

}  // namespace assay::passes
