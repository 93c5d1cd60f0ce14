// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/clamp_match.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/rounding.h"

namespace assay::passes {
namespace {

template <typename T>
T clamped(T value, T low, T high) {
  return std::min(std::max(value, low), high);
}

bool is_relu(const Node& node) { return node.domain.empty() && node.op_type == "Relu"; }
bool is_clip(const Node& node) { return node.domain.empty() && node.op_type == "Clip"; }

// A bound given as input: left out, or a constant of one element. False where it is computed or of another type.
template <typename T>
bool read_bound(const Graph& graph, const std::string& value, DType dtype, T& bound) {
  if (value.empty()) {
    return true;
  }
  const Tensor* constant = graph.constant(value);
  if (constant == nullptr || constant->dtype() != dtype || constant->size() != 1) {
    return false;
  }
  bound = static_cast<T>(constant->to_doubles()[0]);
  return true;
}

}  // namespace

std::optional<RealBounds> match_clamp(const Graph& graph, const Node& node) {
  RealBounds bounds;
  if (is_relu(node)) {
    bounds.low = 0;
    return bounds;
  }
  if (!is_clip(node)) {
    return std::nullopt;
  }
  bounds = {.low = std::numeric_limits<float>::lowest(), .high = std::numeric_limits<float>::max()};
  if (graph.opset() < 11) {
    bounds.low = node.float_attribute("min", bounds.low);
    bounds.high = node.float_attribute("max", bounds.high);
  } else if (!read_bound(graph, node.input(1), DType::kFloat32, bounds.low) ||
             !read_bound(graph, node.input(2), DType::kFloat32, bounds.high)) {
    return std::nullopt;
  }
  return std::isnan(bounds.low) || std::isnan(bounds.high) ? std::nullopt : std::optional(bounds);
}

std::optional<IntegerRange> match_integer_clamp(const Graph& graph, const Node& node, DType dtype) {
  const IntegerRange type_range = dtype_integer_range(dtype);
  IntegerRange range = type_range;
  if (is_relu(node)) {
    range.min = 0;
    return range;
  }
  if (!is_clip(node) || graph.opset() < 12 || !read_bound(graph, node.input(1), dtype, range.min) ||
      !read_bound(graph, node.input(2), dtype, range.max)) {
    return std::nullopt;
  }
  return compose(type_range, range);
}

RealBounds compose(const RealBounds& first, const RealBounds& second) {
  return {.low = clamped(first.low, second.low, second.high), .high = clamped(first.high, second.low, second.high)};
}

IntegerRange compose(const IntegerRange& first, const IntegerRange& second) {
  return {.min = clamped(first.min, second.min, second.max), .max = clamped(first.max, second.min, second.max)};
}

Index quantize_value(float value, const Quantization& quantization) {
  const IntegerRange range = dtype_integer_range(quantization.dtype);
  const Index zero_point = quantization.zero_point_value();
  const float scaled = value / quantization.scale_value();
  const float limited =
      clamped(scaled, static_cast<float>(range.min - zero_point), static_cast<float>(range.max - zero_point));
  return static_cast<Index>(round_half_even(limited)) + zero_point;
}

IntegerRange quantize_bounds(const RealBounds& bounds, const Quantization& quantization) {
  return compose(dtype_integer_range(quantization.dtype),
                 {.min = quantize_value(bounds.low, quantization), .max = quantize_value(bounds.high, quantization)});
}

bool is_full_range(const IntegerRange& range, DType dtype) {
  const IntegerRange full = dtype_integer_range(dtype);
  return range.min <= full.min && range.max >= full.max;
}

}  // namespace assay::passes
