// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/range_arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/base/rounding.h"
#include "engine/ir/tensor.h"

namespace assay::quantizer {
namespace {

struct ReducedRow {
  DType dtype;
  IntegerRange range;
};
constexpr std::array kReduced = {
    ReducedRow{DType::kInt8, {-64, 64}},        ReducedRow{DType::kUint8, {0, 127}},
    ReducedRow{DType::kInt16, {-16384, 16384}}, ReducedRow{DType::kUint16, {0, 32767}},
    ReducedRow{DType::kInt4, {-4, 3}},          ReducedRow{DType::kUint4, {0, 7}},
};

constexpr double kSmallestHalf = 0x1p-24;  // subnormal: usable, because integers are made by a float32 division
constexpr double kLargestHalf = 65504;

double smallest_scale(DType type) {
  return type == DType::kFloat16 ? kSmallestHalf : static_cast<double>(std::numeric_limits<float>::min());
}

// As the model stores it.
float stored(double scale, DType type) {
  if (type == DType::kFloat16) {
    return float16_to_float(float_to_float16(static_cast<float>(std::min(scale, kLargestHalf))));
  }
  return static_cast<float>(std::min(scale, static_cast<double>(std::numeric_limits<float>::max())));
}

bool is_narrow(const RangeScheme& scheme) {
  return scheme.range == RangeKind::kNarrow || (scheme.range == RangeKind::kAuto && scheme.symmetric);
}

QuantParams restricted_params(double min, double max, const RangeScheme& scheme, const IntegerRange& bounds) {
  const Index middle = (bounds.min + bounds.max + 1) / 2;
  const bool negative = min < 0;
  const auto width = static_cast<double>(bounds.max - bounds.min);
  double scale = max / width;
  if (negative) {
    scale = std::max(-min / static_cast<double>(middle - bounds.min), max / static_cast<double>(bounds.max - middle));
  } else if (max <= 0) {
    scale = 1 / width;
  }
  scale = std::max(scale, scheme.minimum_range / width);
  return {.dtype = scheme.dtype,
          .scale = stored(scale, scheme.scale_type),
          .zero_point = negative ? middle : bounds.min,
          .scale_type = scheme.scale_type};
}

}  // namespace

IntegerRange integer_bounds(const RangeScheme& scheme) {
  if (scheme.reduce_range) {
    const auto* row =
        std::find_if(kReduced.begin(), kReduced.end(), [&](const ReducedRow& r) { return r.dtype == scheme.dtype; });
    if (row != kReduced.end()) {
      return row->range;
    }
  }
  IntegerRange range = dtype_integer_range(scheme.dtype);
  if (is_narrow(scheme) && (scheme.dtype == DType::kInt8 || scheme.dtype == DType::kInt16)) {
    range.min = -range.max;
  }
  return range;
}

QuantParams choose_params(double min, double max, const RangeScheme& scheme) {
  min = std::min(min, 0.0);
  max = std::max(max, 0.0);
  if (scheme.minimum_range > 0) {  // in float32, the type of the ranges
    max = std::max(max, static_cast<double>(static_cast<float>(min) + static_cast<float>(scheme.minimum_range)));
  }
  const IntegerRange bounds = integer_bounds(scheme);
  if (scheme.restricted && !scheme.symmetric && bounds.min == 0) {
    return restricted_params(min, max, scheme, bounds);
  }
  if (scheme.symmetric) {
    max = std::max(-min, max);
    min = -max;
  }
  const auto qmin = static_cast<double>(bounds.min);
  const auto qmax = static_cast<double>(bounds.max);
  double scale = (max - min) / (qmax - qmin);
  double offset = 0;  // min / scale
  const bool half = scheme.scale_type == DType::kFloat16;
  if ((half ? static_cast<double>(stored(scale, scheme.scale_type)) : scale) < smallest_scale(scheme.scale_type)) {
    scale = 1.0;
  } else {
    offset = min / scale;
  }
  const double zero_point = scheme.symmetric ? round_half_even((qmin + qmax) / 2) : round_half_even(qmin - offset);
  return {.dtype = scheme.dtype,
          .scale = stored(scale, scheme.scale_type),
          .zero_point = static_cast<Index>(zero_point),
          .scale_type = scheme.scale_type};
}

Index quantize_value(float value, const QuantParams& params) {
  const IntegerRange type = dtype_integer_range(params.dtype);
  const auto low = static_cast<float>(type.min - params.zero_point);
  const auto high = static_cast<float>(type.max - params.zero_point);
  const float steps = std::clamp(value / params.scale, low, high);
  return static_cast<Index>(round_half_even(steps)) + params.zero_point;
}

float dequantize_value(Index q, const QuantParams& params) {
  return static_cast<float>(q - params.zero_point) * params.scale;
}

}  // namespace assay::quantizer
