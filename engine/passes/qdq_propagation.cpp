// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/movement.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "qdq_propagation";

void set_type(Graph& graph, const std::string& value, DType dtype) {
  ValueInfo info;
  info.name = value;
  info.dtype = dtype;
  graph.value_infos[value] = info;
}

void insert_after(Graph& graph, std::size_t i, Node node) {
  graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(node));
}

// Equal parameters on both sides: drop_qdq_movement takes both away.
bool is_enclosed(const Graph& graph, const ValueIndex& index, const std::optional<Quantization>& input,
                 const Node& node) {
  if (!input.has_value() || !is_used_once(graph, index, node.outputs[0])) {
    return false;
  }
  const auto output = match_quantize(graph, static_cast<std::size_t>(index.consumers(node.outputs[0]).front()));
  return output.has_value() && output->reals == node.outputs[0] && same_parameters(*input, *output);
}

// q -> DequantizeLinear -> node  becomes  q -> node -> DequantizeLinear. Constants stay: they are weights.
bool move_dequantize_down(Graph& graph, const std::optional<Quantization>& input, std::size_t i) {
  const Node& node = graph.nodes[i];
  if (!input.has_value() || graph.constant(input->integers) != nullptr) {
    return false;
  }
  const std::string integers = fresh_name(graph, node.outputs[0] + "_quantized");
  set_type(graph, integers, input->dtype);
  Node dequantize = graph.nodes[input->node];
  dequantize.name = fresh_name(graph, node.name + "_dequantize");
  dequantize.origin = kName;
  dequantize.inputs[0] = integers;
  dequantize.outputs = {node.outputs[0]};
  graph.nodes[i].inputs[0] = input->integers;
  graph.nodes[i].outputs[0] = integers;
  graph.nodes[i].origin = kName;
  insert_after(graph, i, std::move(dequantize));
  return true;
}

// node -> QuantizeLinear  becomes  QuantizeLinear -> node, where nothing else sees the values between.
bool move_quantize_up(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  if (!is_used_once(graph, index, node.outputs[0]) || !is_used_once(graph, index, node.inputs[0]) ||
      graph.constant(node.inputs[0]) != nullptr) {
    return false;
  }
  const auto position = static_cast<std::size_t>(index.consumers(node.outputs[0]).front());
  const auto output = match_quantize(graph, position);
  if (!output.has_value() || output->reals != node.outputs[0] || !output->per_tensor() || !is_8bit(output->dtype)) {
    return false;
  }
  const std::string integers = fresh_name(graph, node.inputs[0] + "_quantized");
  set_type(graph, integers, output->dtype);
  Node quantize = graph.nodes[position];
  Node moved = node;
  quantize.origin = kName;
  quantize.inputs[0] = moved.inputs[0];
  quantize.outputs = {integers};
  moved.origin = kName;
  moved.inputs[0] = integers;
  moved.outputs[0] = output->integers;
  graph.nodes[i] = std::move(quantize);
  erase_nodes(graph, {position});
  insert_after(graph, i, std::move(moved));
  return true;
}

}  // namespace

Result<Index> qdq_propagation(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, [](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    const Node& node = g.nodes[i];
    if (!is_propagated_movement(g, node)) {
      return false;
    }
    const auto input = match_activation(g, index, node.input(0));
    return !is_enclosed(g, index, input, node) && (move_dequantize_down(g, input, i) || move_quantize_up(g, index, i));
  });
}

}  // namespace assay::passes
