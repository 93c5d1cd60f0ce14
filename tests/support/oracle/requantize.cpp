// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle/requantize.h"

#include <algorithm>
#include <cmath>

namespace assay::oracle {
namespace {

// In double, where every float and every sum of a rounded float in range and a zero point is exact.
std::int32_t rounded(float value, const OutputType& y) {
  if (std::isnan(value)) {
    return y.min;
  }
  double whole = std::floor(static_cast<double>(value));
  const double rest = static_cast<double>(value) - whole;
  const bool odd = std::fmod(whole, 2.0) != 0.0;
  if (rest > 0.5 || (rest == 0.5 && odd)) {
    whole += 1.0;
  }
  return static_cast<std::int32_t>(
      std::clamp(whole + y.zero_point, static_cast<double>(y.min), static_cast<double>(y.max)));
}

}  // namespace

float output_scale(float x_scale, float w_scale, float y_scale) {
  const float product = x_scale * w_scale;
  return product / y_scale;
}

std::int32_t requantize(std::int32_t acc, float scale, const OutputType& y) {
  const auto value = static_cast<float>(acc);
  const float product = value * scale;
  return rounded(product, y);
}

std::int32_t quantize(float x, float scale, const OutputType& y) {
  const float quotient = x / scale;
  return rounded(quotient, y);
}

float dequantize(std::int32_t q, float scale, std::int32_t zero_point) {
  const auto value = static_cast<float>(wrap_to_int32(std::int64_t{q} - zero_point));
  return value * scale;
}

}  // namespace assay::oracle
