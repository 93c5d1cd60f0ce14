// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle/elementwise.h"

#include <cmath>

namespace assay::oracle {
namespace {

// The zero point is already in v.
std::int32_t finish(float v, const ScaledOutput& y) {
  return quantize(v, 1.0F, {.zero_point = 0, .min = y.type.min, .max = y.type.max});
}

}  // namespace

std::int32_t qlinear_add(const Scaled& a, const Scaled& b, const ScaledOutput& y, bool fused) {
  const float ra = a.scale / y.scale;
  const float rb = b.scale / y.scale;
  const auto av = static_cast<float>(a.value);
  const auto bv = static_cast<float>(b.value);
  const auto az = static_cast<float>(a.zero_point);
  const auto bz = static_cast<float>(b.zero_point);
  const auto yz = static_cast<float>(y.type.zero_point);
  const float b_shift = rb * bz;
  if (fused) {
    const float shift = std::fma(ra, az, b_shift);
    const float c = yz - shift;
    const float inner = std::fma(bv, rb, c);
    return finish(std::fma(av, ra, inner), y);
  }
  const float a_shift = ra * az;
  const float shift = a_shift + b_shift;
  const float c = yz - shift;
  const float a_term = av * ra;
  const float b_term = bv * rb;
  const float inner = a_term + c;
  return finish(b_term + inner, y);
}

std::int32_t qlinear_mul(const Scaled& a, const Scaled& b, const ScaledOutput& y) {
  const auto product = static_cast<float>((a.value - a.zero_point) * (b.value - b.zero_point));
  const float scaled = product * output_scale(a.scale, b.scale, y.scale);
  return finish(scaled + static_cast<float>(y.type.zero_point), y);
}

std::int32_t qlinear_average(const Integers& x, Index padding, const Scaled& parameters, const ScaledOutput& y) {
  float sum = 0;
  for (const std::int32_t value : x) {
    sum = sum + dequantize(value, parameters.scale, parameters.zero_point);
  }
  const float mean = sum / static_cast<float>(static_cast<Index>(x.size()) + padding);
  const float quotient = mean / y.scale;
  return finish(quotient + static_cast<float>(y.type.zero_point), y);
}

std::int32_t qlinear_global_average(const Integers& x, const Scaled& parameters, const ScaledOutput& y) {
  std::int64_t sum = 0;
  for (const std::int32_t value : x) {
    sum += value - parameters.zero_point;
  }
  const float divisor = y.scale * static_cast<float>(x.size());
  return requantize(wrap_to_int32(sum), parameters.scale / divisor, y.type);
}

}  // namespace assay::oracle
