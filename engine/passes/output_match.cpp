// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/output_match.h"

#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr Index kFirstOpsetOfIntegerClip = 12;

Tensor integer_scalar(Index value, DType dtype) {
  return dtype == DType::kInt8 ? Tensor::scalar(static_cast<std::int8_t>(value))
                               : Tensor::scalar(static_cast<std::uint8_t>(value));
}

}  // namespace

std::optional<QuantizedOutput> match_output(const Graph& graph, const ValueIndex& index, const std::string& value) {
  QuantizedOutput out;
  RealBounds bounds;
  const std::string* current = &value;
  while (is_used_once(graph, index, *current)) {
    const auto position = static_cast<std::size_t>(index.consumers(*current).front());
    const Node& user = graph.nodes[position];
    out.absorbed.push_back(position);
    if (const auto clamp = match_clamp(graph, user); clamp.has_value() && user.input(0) == *current) {
      bounds = compose(bounds, *clamp);
      current = &user.outputs[0];
      continue;
    }
    const auto quantization = match_quantize(graph, position);
    if (!quantization.has_value() || quantization->reals != *current || !quantization->per_tensor() ||
        !is_8bit(quantization->dtype)) {
      return std::nullopt;
    }
    out.quantization = *quantization;
    out.clamp = quantize_bounds(bounds, *quantization);
    return out;
  }
  return std::nullopt;
}

void replace_group(Graph& graph, std::size_t position, Node fused, const QuantizedOutput& output) {
  import_domain(graph, fused.domain);
  fused.outputs = {output.quantization.integers};
  graph.nodes[position] = std::move(fused);
  erase_nodes(graph, output.absorbed);  // all of them come after `position`
}

bool replace_group_with_clip(Graph& graph, std::size_t position, Node fused, const QuantizedOutput& output) {
  if (!output.has_clamp()) {
    replace_group(graph, position, std::move(fused), output);
    return true;
  }
  if (graph.opset() < kFirstOpsetOfIntegerClip) {
    return false;
  }
  const Quantization& quantization = output.quantization;
  const std::string unclamped = fresh_name(graph, quantization.integers + "_unclamped");
  ValueInfo info;
  info.name = unclamped;
  info.dtype = quantization.dtype;
  graph.value_infos[unclamped] = info;
  Node clip;
  clip.name = fresh_name(graph, fused.name + "_clamp");
  clip.op_type = "Clip";
  clip.origin = fused.origin;
  clip.outputs = {quantization.integers};
  clip.inputs = {unclamped,
                 add_initializer(graph, clip.name + "_min", integer_scalar(output.clamp.min, quantization.dtype)),
                 add_initializer(graph, clip.name + "_max", integer_scalar(output.clamp.max, quantization.dtype))};
  replace_group(graph, position, std::move(fused), output);
  graph.nodes[position].outputs = {unclamped};
  graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(position) + 1, std::move(clip));
  return true;
}

Node fused_node(const Node& node, const std::string& domain, const std::string& op_type, const std::string& pass) {
  Node fused;
  fused.name = node.name;
  fused.op_type = op_type;
  fused.domain = domain;
  fused.origin = pass;
  return fused;
}

void set_clamp(Graph& graph, Node& node, const IntegerRange& clamp) {
  node.domain = kAssayDomain;
  node.attributes["clamp_min"] = clamp.min;
  node.attributes["clamp_max"] = clamp.max;
  import_domain(graph, kAssayDomain);
}

}  // namespace assay::passes
