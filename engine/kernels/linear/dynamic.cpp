// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/base/rounding.h"
#include "engine/kernels/linear/linear.h"

namespace assay::kernels {
namespace {

constexpr std::size_t kLanes = 16;  // minima and maxima side by side, so that they vectorise
constexpr float kSteps = 255.0F;

struct Range {
  std::array<float, kLanes> low{};  // 0 is always in the range
  std::array<float, kLanes> high{};

  // Comparisons with NaN are false, so it never enters.
  void add(std::size_t lane, float value) {
    low[lane] = value < low[lane] ? value : low[lane];
    high[lane] = value > high[lane] ? value : high[lane];
  }
};

}  // namespace

DynamicParams dynamic_quantize_params(const float* x, Index count) {
  Range range;
  const auto lanes = static_cast<Index>(kLanes);
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      range.add(lane, x[i + static_cast<Index>(lane)]);
    }
  }
  for (; i < count; ++i) {
    range.add(0, x[i]);
  }
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    range.add(0, range.low[lane]);
    range.add(0, range.high[lane]);
  }
  const float low = range.low[0];
  const float high = range.high[0];
  DynamicParams out;
  out.scale = high == low ? 1.0F : (high - low) / kSteps;
  const float zero_point = 0.0F - low / out.scale;
  const float capped = zero_point < kSteps ? zero_point : kSteps;  // NaN, from an infinite range: 255
  out.zero_point = static_cast<std::int32_t>(round_half_even(capped > 0.0F ? capped : 0.0F));
  return out;
}

}  // namespace assay::kernels
