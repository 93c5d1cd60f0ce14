// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/speedup.h"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

TEST(Speedup, OfMediansDividesBaselineByVariant) {
  const std::vector<double> baseline = {30, 31, 29, 30, 32, 28};
  const std::vector<double> variant = {10, 10, 10, 10, 11, 9};
  const Speedup speedup = speedup_of_medians(baseline, variant);
  EXPECT_DOUBLE_EQ(speedup.value, 3);
  EXPECT_DOUBLE_EQ(speedup.interval.low, 28.0 / 11);
  EXPECT_DOUBLE_EQ(speedup.interval.high, 32.0 / 9);
}

TEST(Speedup, OfPairsTakesTheMedianRatioAndTheRangeOfSix) {
  const Speedup speedup = speedup_of_pairs(std::vector<double>{1.5, 1.7, 1.6, 1.4, 1.55, 1.65});
  EXPECT_DOUBLE_EQ(speedup.value, 1.575);
  EXPECT_EQ(speedup.interval.low, 1.4);
  EXPECT_EQ(speedup.interval.high, 1.7);
}

TEST(Speedup, VerdictNeedsTheWholeInterval) {
  EXPECT_EQ(judge_speedup({2, {1.5, 2.5}}, 1.5), SpeedVerdict::kHolds);
  EXPECT_EQ(judge_speedup({2, {1.4, 2.5}}, 1.5), SpeedVerdict::kUnclear);
  EXPECT_EQ(judge_speedup({1.4, {1.3, 1.5}}, 1.5), SpeedVerdict::kUnclear);
  EXPECT_EQ(judge_speedup({1.4, {1.3, 1.49}}, 1.5), SpeedVerdict::kFails);
}

TEST(Speedup, NoTimesGiveNoSpeedup) {
  EXPECT_EQ(speedup_of_medians({}, {}).value, 0);
  EXPECT_EQ(judge_speedup(speedup_of_medians({}, {}), 1), SpeedVerdict::kFails);
}

}  // namespace
}  // namespace assay::measure
