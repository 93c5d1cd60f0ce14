// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/passes/all_passes.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/movement.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "drop_qdq_movement";

// Relu and Clip: quantize(clamp(dequantize(q))) = clamp(q) in quantized units (see quantize_bounds()).
bool drop_clamp(Graph& graph, const ValueIndex& index, const Quantization& input, std::size_t i) {
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

// Whether the operator can run on the integers. Pad puts a constant of its own there: that constant quantized.
bool make_integer_form(Graph& graph, Node& node, const Quantization& input) {
  if (node.op_type != "Pad") {
    return true;
  }
  const bool is_constant_mode = node.string_attribute("mode", "constant") == "constant";
  const Tensor* value = graph.constant(node.input(2));
  const bool has_value = !node.input(2).empty();
  if (is_constant_mode && has_value &&
      (value == nullptr || value->dtype() != DType::kFloat32 || value->size() != 1 ||
       std::isnan(value->data<float>()[0]))) {
    return false;
  }
  node.inputs.resize(std::max<std::size_t>(node.inputs.size(), 3));
  node.inputs[2] = "";
  if (is_constant_mode) {
    const Index padding = quantize_value(has_value ? value->data<float>()[0] : 0.0F, input);
    node.inputs[2] = add_initializer(graph, node.outputs[0] + "_padding",
                                     input.dtype == DType::kInt8 ? Tensor::scalar(static_cast<std::int8_t>(padding))
                                                                 : Tensor::scalar(static_cast<std::uint8_t>(padding)));
  }
  return true;
}

bool is_pad(const Graph& graph, const Node& node) {
  constexpr Index kFirstOpsetOfIntegerPad = 11;
  return node.domain.empty() && node.op_type == "Pad" && graph.opset() >= kFirstOpsetOfIntegerPad;
}

Result<bool> drop_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  const auto input = match_activation(graph, index, node.input(0));
  if (!input.has_value()) {
    return false;
  }
  if (!is_movement(graph, node) && !is_pad(graph, node)) {
    return drop_clamp(graph, index, *input, i);
  }
  const auto output = match_output(graph, index, node.outputs[0]);
  if (!output.has_value() || output->absorbed.size() != 1 || !same_parameters(*input, output->quantization)) {
    return false;
  }
  Node moved = node;
  if (!make_integer_form(graph, moved, *input)) {
    return false;
  }
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
