// SPDX-License-Identifier: Apache-2.0
// How much faster one configuration is than another, and whether that satisfies a case.
#pragma once

#include <optional>
#include <span>

#include "harness/measure/statistics.h"

namespace assay::measure {

// Time of the baseline over the time of the variant: above 1, the variant is faster.
struct Speedup {
  double value = 0;
  Interval interval;  // 95 %
};

// From one process: the ratio of the medians; the interval is the widest that both medians' intervals allow.
Speedup speedup_of_medians(std::span<const double> baseline, std::span<const double> variant);

// From pairs of fresh processes: the median of the pairs' ratios with its interval.
Speedup speedup_of_pairs(std::span<const double> ratios);

enum class SpeedVerdict { kHolds, kFails, kUnclear };

// kHolds: the whole interval reaches `required`; kFails: none of it does; else kUnclear.
SpeedVerdict judge_speedup(const Speedup& speedup, double required);

}  // namespace assay::measure
