// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/clamp.h"

#include <algorithm>
#include <cmath>

#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// One bound of a Clip: from the input (opset 11 on), else from the attribute. False where it is unknown.
bool read_bound(const Graph& graph, const Node& node, std::size_t input, const char* attribute, float& bound) {
  if (node.input(input).empty()) {
    bound = node.float_attribute(attribute, bound);
    return !std::isnan(bound);
  }
  const Tensor* constant = graph.constant(node.input(input));
  if (constant == nullptr || constant->dtype() != DType::kFloat32 || constant->size() != 1) {
    return false;
  }
  bound = constant->data<float>()[0];
  return !std::isnan(bound);
}

bool is_relu(const ClampBounds& bounds) { return bounds.min == 0 && bounds.max == kInfinity; }

}  // namespace

std::optional<ClampBounds> clamp_bounds(const Graph& graph, const Node& node) {
  if (node.op_type == "Relu") {
    return ClampBounds{.min = 0, .max = kInfinity};
  }
  ClampBounds bounds;
  if (!read_bound(graph, node, 1, "min", bounds.min) || !read_bound(graph, node, 2, "max", bounds.max)) {
    return std::nullopt;
  }
  bounds.min = std::min(bounds.min, bounds.max);
  return bounds;
}

ClampBounds compose(const ClampBounds& first, const ClampBounds& second) {
  return {.min = std::clamp(first.min, second.min, second.max), .max = std::clamp(first.max, second.min, second.max)};
}

IntegerRange quantized_bounds(const ClampBounds& bounds, const QuantParams& params) {
  return {.min = quantize_value(bounds.min, params), .max = quantize_value(bounds.max, params)};
}

bool clamps_by_itself(const ClampBounds& bounds, const QuantParams& params) {
  const IntegerRange type = dtype_integer_range(params.dtype);
  const IntegerRange quantized = quantized_bounds(bounds, params);
  return quantized.min == type.min && quantized.max == type.max;
}

std::string clamp_reason(const ClampBounds& bounds, const QuantParams& params) {
  const IntegerRange type = dtype_integer_range(params.dtype);
  const bool clamps = clamps_by_itself(bounds, params);
  if (is_relu(bounds)) {
    return "zero point " + std::to_string(params.zero_point) + " is " + (clamps ? "" : "not ") +
           "the type's smallest value" + (clamps ? "" : " " + std::to_string(type.min));
  }
  return "the quantized range " + range_text(dequantize_value(type.min, params), dequantize_value(type.max, params)) +
         " is " + (clamps ? "" : "not ") + "cut at the bounds " + range_text(bounds.min, bounds.max);
}

}  // namespace assay::quantizer
