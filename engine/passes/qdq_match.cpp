// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/qdq_match.h"

#include <cmath>
#include <limits>

#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr Index kProtoUint8 = 2;  // TensorProto.DataType values
constexpr Index kProtoInt8 = 3;

const Node* producer(const Graph& graph, const ValueIndex& index, const std::string& value) {
  const Index position = index.producer(value);
  return position < 0 ? nullptr : &graph.nodes[static_cast<std::size_t>(position)];
}

bool is_standard(const Node& node, const char* op_type) { return node.domain.empty() && node.op_type == op_type; }

// The type a QuantizeLinear without zero point makes.
DType default_quantized_type(const Node& node) {
  switch (node.int_attribute("output_dtype", kProtoUint8)) {
    case 0:
    case kProtoUint8:
      return DType::kUint8;
    case kProtoInt8:
      return DType::kInt8;
    default:
      return DType::kUndefined;
  }
}

// The type of the integers that a DequantizeLinear without zero point reads.
DType integers_type(const Graph& graph, const ValueIndex& index, const std::string& value) {
  if (const Tensor* constant = graph.constant(value)) {
    return constant->dtype();
  }
  for (const ValueInfo& input : graph.inputs) {
    if (input.name == value) {
      return input.dtype;
    }
  }
  const Node* maker = producer(graph, index, value);
  if (maker != nullptr && is_standard(*maker, "QuantizeLinear")) {
    const Tensor* zero_point = graph.constant(maker->input(2));
    return zero_point == nullptr ? default_quantized_type(*maker) : zero_point->dtype();
  }
  const auto info = graph.value_infos.find(value);
  return info == graph.value_infos.end() ? DType::kUndefined : info->second.dtype;
}

// Parameters common to both kinds of node; the caller fills in the values and a missing type.
std::optional<Quantization> read_parameters(const Graph& graph, std::size_t position) {
  const Node& node = graph.nodes[position];
  const Tensor* scales = graph.constant(node.input(1));
  if (scales == nullptr || scales->dtype() != DType::kFloat32 || scales->size() == 0 ||
      node.int_attribute("block_size", 0) != 0) {
    return std::nullopt;
  }
  Quantization out;
  out.node = position;
  out.scale = node.input(1);
  out.zero_point = node.input(2);
  out.scales = *scales;
  out.axis = node.int_attribute("axis", 1);
  if (!out.zero_point.empty()) {
    const Tensor* zero_points = graph.constant(out.zero_point);
    if (zero_points == nullptr || zero_points->size() != scales->size()) {
      return std::nullopt;
    }
    out.zero_points = *zero_points;
    out.dtype = zero_points->dtype();
  }
  return out;
}

}  // namespace

bool is_usable_scale(float scale) {
  return std::isnormal(scale) && scale > 0 && scale <= std::numeric_limits<float>::max() / 512;
}

bool Quantization::per_tensor() const { return scales.size() == 1 && is_usable_scale(scales.data<float>()[0]); }

Index Quantization::zero_point_value() const { return zero_points.empty() ? 0 : zero_points.to_indices()[0]; }

std::optional<Quantization> match_dequantize(const Graph& graph, const ValueIndex& index, const std::string& value) {
  const Node* node = producer(graph, index, value);
  if (node == nullptr || !is_standard(*node, "DequantizeLinear")) {
    return std::nullopt;
  }
  std::optional<Quantization> out = read_parameters(graph, static_cast<std::size_t>(index.producer(value)));
  if (!out.has_value()) {
    return std::nullopt;
  }
  out->integers = node->input(0);
  out->reals = value;
  if (out->dtype == DType::kUndefined) {
    out->dtype = integers_type(graph, index, out->integers);
  }
  return out->dtype == DType::kUndefined ? std::nullopt : out;
}

std::optional<Quantization> match_activation(const Graph& graph, const ValueIndex& index, const std::string& value) {
  std::optional<Quantization> out = match_dequantize(graph, index, value);
  return out.has_value() && out->per_tensor() && is_8bit(out->dtype) ? out : std::nullopt;
}

std::optional<Quantization> match_quantize(const Graph& graph, std::size_t position) {
  const Node& node = graph.nodes[position];
  if (!is_standard(node, "QuantizeLinear")) {
    return std::nullopt;
  }
  std::optional<Quantization> out = read_parameters(graph, position);
  if (!out.has_value()) {
    return std::nullopt;
  }
  out->integers = node.outputs[0];
  out->reals = node.input(0);
  if (out->dtype == DType::kUndefined) {
    out->dtype = default_quantized_type(node);
  }
  return out->dtype == DType::kUndefined ? std::nullopt : out;
}

bool same_parameters(const Quantization& a, const Quantization& b) {
  return a.dtype == b.dtype && a.per_tensor() && b.per_tensor() && a.scale_value() == b.scale_value() &&
         a.zero_point_value() == b.zero_point_value();
}

std::string require_zero_point(Graph& graph, const Quantization& quantization) {
  if (!quantization.zero_point.empty()) {
    return quantization.zero_point;
  }
  Tensor zero = quantization.dtype == DType::kInt8 ? Tensor::scalar<std::int8_t>(0) : Tensor::scalar<std::uint8_t>(0);
  return add_initializer(graph, quantization.integers + "_zero_point", std::move(zero));
}

}  // namespace assay::passes
