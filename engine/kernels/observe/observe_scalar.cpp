// SPDX-License-Identifier: Apache-2.0
// Plain loops, in lanes that compilers vectorise for the baseline.
#include <array>
#include <cmath>
#include <limits>

#include "engine/kernels/observe/observe_args.h"

namespace assay::kernels {

FloatExtremes float_extremes_scalar(const float* x, std::int64_t count);
void find_counters_scalar(const CounterArgs& args);

namespace {

constexpr std::int64_t kLanes = 8;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void take(float value, FloatExtremes& found) {
  const float size = std::fabs(value);
  found.min = value < found.min ? value : found.min;
  found.max = value > found.max ? value : found.max;
  found.least_magnitude = size < found.least_magnitude ? size : found.least_magnitude;
  found.finite = found.finite && size < kInfinity;
}

template <bool is_signed>
void find_counters(const CounterArgs& args) {
  for (std::int64_t i = 0; i < args.count; ++i) {
    std::int32_t bin = 0;
    if constexpr (is_signed) {
      // A truncated negative is one too high unless it is whole.
      const float place = args.x[i] * args.bins_per_unit;
      const auto toward_zero = static_cast<std::int32_t>(place);
      bin = toward_zero - (static_cast<float>(toward_zero) > place ? 1 : 0) + args.zero_bin;
    } else {
      bin = static_cast<std::int32_t>(std::fabs(args.x[i]) * args.bins_per_unit);
    }
    const auto turn = static_cast<std::int32_t>(i);
    args.counters[i] =
        bin == args.zero_bin ? turn % kZeroCounters : kZeroCounters + bin * kCountersPerBin + turn % kCountersPerBin;
  }
}

}  // namespace

FloatExtremes float_extremes_scalar(const float* x, std::int64_t count) {
  FloatExtremes found{.min = kInfinity, .max = -kInfinity, .least_magnitude = kInfinity, .finite = true};
  std::array<FloatExtremes, kLanes> lanes{};
  lanes.fill(found);
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      take(x[i + lane], lanes[static_cast<std::size_t>(lane)]);
    }
  }
  for (std::int64_t i = whole; i < count; ++i) {
    take(x[i], found);
  }
  for (const FloatExtremes& lane : lanes) {
    found.min = lane.min < found.min ? lane.min : found.min;
    found.max = lane.max > found.max ? lane.max : found.max;
    found.least_magnitude = lane.least_magnitude < found.least_magnitude ? lane.least_magnitude : found.least_magnitude;
    found.finite = found.finite && lane.finite;
  }
  return found;
}

void find_counters_scalar(const CounterArgs& args) {
  args.is_signed ? find_counters<true>(args) : find_counters<false>(args);
}

}  // namespace assay::kernels
