// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random.h"

namespace assay::measure {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{}), 0);
  EXPECT_EQ(median(std::vector<double>{4}), 4);
  EXPECT_EQ(median(std::vector<double>{9, 1, 5}), 5);
  EXPECT_EQ(median(std::vector<double>{9, 1, 5, 6}), 5.5);
}

TEST(Statistics, QuantileInterpolatesBetweenOrderStatistics) {
  const std::vector<double> values = {10, 40, 20, 30, 50};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 1), 50);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 48);  // position 3.8
}

TEST(Statistics, VariationIsSampleDeviationOverMean) {
  EXPECT_EQ(coefficient_of_variation(std::vector<double>{3}), 0);
  EXPECT_EQ(coefficient_of_variation(std::vector<double>{3, 3, 3}), 0);
  EXPECT_DOUBLE_EQ(coefficient_of_variation(std::vector<double>{1, 3}), 1.4142135623730951 / 2);
}

// Ranks from tables of the sign test: n=6..8 -> 1, 9..11 -> 2, 12..14 -> 3, 15..16 -> 4, 17..19 -> 5, 20 -> 6.
TEST(Statistics, MedianIntervalUsesTheTabulatedRanks) {
  const std::vector<std::pair<int, int>> ranks = {{5, 1},  {6, 1},  {8, 1},  {9, 2},  {11, 2}, {12, 3},
                                                  {14, 3}, {15, 4}, {16, 4}, {17, 5}, {19, 5}, {20, 6}};
  for (const auto& [n, rank] : ranks) {
    std::vector<double> values;
    for (int i = n; i >= 1; --i) {
      values.push_back(i);
    }
    const Interval interval = median_interval(values);
    EXPECT_EQ(interval.low, rank) << "n " << n;
    EXPECT_EQ(interval.high, n + 1 - rank) << "n " << n;
  }
}

TEST(Statistics, MedianIntervalCoversTheTrueMedian) {
  test::Random random(7);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 9; ++i) {
      values.push_back(static_cast<double>(random.uniform(-1, 1)));
    }
    const Interval interval = median_interval(values);
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  // 96.1 % in theory; 2,000 trials stay within 1.8 points of it.
  EXPECT_GE(covered, 1890);
  EXPECT_LE(covered, 1960);
}

}  // namespace
}  // namespace assay::measure
