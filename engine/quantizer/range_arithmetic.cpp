// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/range_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/rounding.h"

namespace assay::quantizer {

IntegerRange integer_bounds(const RangeScheme& scheme) {
  if (scheme.dtype == DType::kUint8) {
    return {.min = 0, .max = scheme.reduce_range ? 127 : 255};
  }
  if (scheme.reduce_range) {
    return {.min = -64, .max = 64};
  }
  return {.min = scheme.range == RangeKind::kNarrow ? -127 : -128, .max = 127};
}

QuantParams choose_params(double min, double max, const RangeScheme& scheme) {
  min = std::min(min, 0.0);
  max = std::max(max, 0.0);
  if (scheme.symmetric) {
    max = std::max(-min, max);
    min = -max;
  }
  const IntegerRange bounds = integer_bounds(scheme);
  const auto qmin = static_cast<double>(bounds.min);
  const auto qmax = static_cast<double>(bounds.max);
  double scale = (max - min) / (qmax - qmin);
  double offset = 0;  // min / scale
  if (scale < static_cast<double>(std::numeric_limits<float>::min())) {
    scale = 1.0;
  } else {
    offset = min / scale;
  }
  const double zero_point = scheme.symmetric ? round_half_even((qmin + qmax) / 2) : round_half_even(qmin - offset);
  const double largest = static_cast<double>(std::numeric_limits<float>::max());
  return {.dtype = scheme.dtype,
          .scale = static_cast<float>(std::min(scale, largest)),
          .zero_point = static_cast<Index>(zero_point)};
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
