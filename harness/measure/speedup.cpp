// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/speedup.h"

namespace assay::measure {

Speedup speedup_of_medians(std::span<const double> baseline, std::span<const double> variant) {
  const Summary slow = summarize(baseline);
  const Summary fast = summarize(variant);
  if (fast.median <= 0 || fast.interval.low <= 0) {
    return {};
  }
  return {slow.median / fast.median, {slow.interval.low / fast.interval.high, slow.interval.high / fast.interval.low}};
}

Speedup speedup_of_pairs(std::span<const double> ratios) { return {median(ratios), median_interval(ratios)}; }

SpeedVerdict judge_speedup(const Speedup& speedup, double required) {
  if (speedup.interval.low >= required) {
    return SpeedVerdict::kHolds;
  }
  return speedup.interval.high < required ? SpeedVerdict::kFails : SpeedVerdict::kUnclear;
}

}  // namespace assay::measure
