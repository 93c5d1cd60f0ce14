// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "engine/kernels/linear/linear.h"

namespace assay::kernels {

FloatRange float_range_scalar(const float* x, std::int64_t count);

namespace {

constexpr std::size_t kLanes = 16;  // minima and maxima side by side, so that they vectorise

struct Lanes {
  std::array<float, kLanes> low{};  // 0 is always in the range
  std::array<float, kLanes> high{};

  // Comparisons with NaN are false, so it never enters.
  void add(std::size_t lane, float value) {
    low[lane] = value < low[lane] ? value : low[lane];
    high[lane] = value > high[lane] ? value : high[lane];
  }
};

}  // namespace

FloatRange float_range_scalar(const float* x, std::int64_t count) {
  Lanes lanes;
  constexpr auto kStep = static_cast<std::int64_t>(kLanes);
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes.add(lane, x[i + static_cast<std::int64_t>(lane)]);
    }
  }
  for (; i < count; ++i) {
    lanes.add(0, x[i]);
  }
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    lanes.add(0, lanes.low[lane]);
    lanes.add(0, lanes.high[lane]);
  }
  return {lanes.low[0], lanes.high[0]};
}

}  // namespace assay::kernels
