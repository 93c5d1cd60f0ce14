// SPDX-License-Identifier: Apache-2.0
#include "engine/base/rounding.h"
#include "engine/kernels/linear/linear.h"

namespace assay::kernels {

DynamicParams dynamic_quantize_params(const FloatRange& range) {
  constexpr float kSteps = 255.0F;
  DynamicParams out;
  out.scale = range.high == range.low ? 1.0F : (range.high - range.low) / kSteps;
  const float zero_point = 0.0F - range.low / out.scale;
  const float capped = zero_point < kSteps ? zero_point : kSteps;  // NaN, from an infinite range: 255
  out.zero_point = static_cast<std::int32_t>(round_half_even(capped > 0.0F ? capped : 0.0F));
  return out;
}

}  // namespace assay::kernels
