// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear -> DequantizeLinear in int8 becomes uint8: q' = q + 128 and z' = z + 128, so q' - z' = q - z.
// As in ONNX Runtime the integers must have one reader and their DequantizeLinear one user; a value that fans out stays
// int8, and its products exact.
#include "engine/passes/all_passes.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr Index kOffset = 128;

// The zero points as uint8, in the shape of the parameters.
Tensor shifted_zero_points(const Quantization& quantization) {
  std::vector<std::uint8_t> shifted(static_cast<std::size_t>(quantization.scales.size()), kOffset);
  if (!quantization.zero_points.empty()) {
    const std::vector<Index> values = quantization.zero_points.to_indices();
    for (std::size_t i = 0; i < shifted.size(); ++i) {
      shifted[i] = static_cast<std::uint8_t>(values[i] + kOffset);
    }
  }
  return Tensor::from(quantization.scales.shape(), shifted);
}

void make_unsigned(Graph& graph, const Quantization& quantization) {
  const std::string zero_point =
      add_initializer(graph, quantization.integers + "_zero_point_u8", shifted_zero_points(quantization));
  Node& node = graph.nodes[quantization.node];
  node.inputs.resize(3);
  node.inputs[2] = zero_point;
  if (node.op_type == "QuantizeLinear") {
    node.attributes.erase("output_dtype");  // the zero point has the type
  }
  node.origin = "s8_activation_to_u8";
}

Result<bool> convert_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const auto quantize = match_quantize(graph, i);
  if (!quantize.has_value() || quantize->dtype != DType::kInt8 || graph.constant(quantize->reals) != nullptr ||
      !is_used_once(graph, index, quantize->integers)) {
    return false;
  }
  const Node& reader = graph.nodes[static_cast<std::size_t>(index.consumers(quantize->integers).front())];
  const auto dequantize = match_dequantize(graph, index, reader.outputs[0]);
  if (!dequantize.has_value() || dequantize->integers != quantize->integers || dequantize->dtype != DType::kInt8) {
    return false;
  }
  if (index.consumer_count(dequantize->reals) + (graph.is_output(dequantize->reals) ? 1 : 0) > 1) {
    return false;
  }
  make_unsigned(graph, *quantize);
  make_unsigned(graph, *dequantize);
  if (const auto info = graph.value_infos.find(quantize->integers); info != graph.value_infos.end()) {
    info->second.dtype = DType::kUint8;
  }
  return true;
}

}  // namespace

Result<Index> s8_activation_to_u8(Graph& graph, const PassContext& context) {
  if (u8s8_arithmetic(context.profile) != Arithmetic::kSat16Pairs) {
    return Index{0};
  }
  return rewrite_until_stable(graph, convert_at);
}

}  // namespace assay::passes
