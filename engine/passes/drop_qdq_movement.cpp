// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/all_passes.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/movement.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "drop_qdq_movement";

// Relu and Clip: quantize(clamp(dequantize(q))) = clamp(q) in quantized units (see quantize_bounds()).
bool drop_clamp(Graph& graph, const GraphIndex& index, const Quantization& input, std::size_t i) {
  const Node node = graph.nodes[i];
  const auto bounds = match_clamp(graph, node);
  auto output = match_output(graph, index, node.outputs[0]);
  if (!bounds.has_value() || !output.has_value() || !same_parameters(input, output->quantization)) {
    return false;
  }
  output->clamp = compose(quantize_bounds(*bounds, input), output->clamp);
  if (!output->has_clamp()) {
    return forward_value(graph, index, output->quantization.integers, input.integers);
  }
  // An Identity stands for the operator that the Clip follows; the clip alone is wanted.
  Node pass_through = fused_node(node, "", "Identity", kName);
  pass_through.inputs = {input.integers};
  if (!replace_group_with_clip(graph, i, std::move(pass_through), *output)) {
    return false;
  }
  graph.nodes[i + 1].inputs[0] = input.integers;
  graph.nodes[i + 1].name = node.name;
  erase_nodes(graph, {i});
  return true;
}

Result<bool> drop_at(Graph& graph, const GraphIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  const auto input = match_activation(graph, index, node.input(0));
  if (!input.has_value()) {
    return false;
  }
  if (!is_movement(graph, node)) {
    return drop_clamp(graph, index, *input, i);
  }
  const auto output = match_output(graph, index, node.outputs[0]);
  if (!output.has_value() || output->absorbed.size() != 1 || !same_parameters(*input, output->quantization)) {
    return false;
  }
  Node moved = node;
  moved.inputs[0] = input->integers;
  moved.origin = kName;
  replace_group(graph, i, std::move(moved), *output);
  return true;
}

}  // namespace

Result<Index> drop_qdq_movement(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, drop_at);
}

}  // namespace assay::passes
