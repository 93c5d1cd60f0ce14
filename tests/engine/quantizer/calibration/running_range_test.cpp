// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/running_range.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::quantizer {
namespace {

ValueRange ranged(const CalibrationOptions& options, const std::vector<std::vector<float>>& samples,
                  std::size_t stride) {
  RunningRange range;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    range.add_sample(scan(samples[i]), moments(samples[i]));
    if ((i + 1) % stride == 0) {
      range.end_collection(options);
    }
  }
  return range.range(options);
}

const std::vector<std::vector<float>> kSamples = {{-1, 2}, {-3, 4}, {0, 8}, {-8, 0}};

TEST(RunningRange, MinMaxWidens) {
  const ValueRange range = ranged({}, kSamples, 4);
  EXPECT_EQ(range.min, -8);
  EXPECT_EQ(range.max, 8);
}

TEST(RunningRange, SymmetricTakesTheLargerMagnitude) {
  const ValueRange range = ranged({.symmetric = true}, {{-1, 2}, {0, 3}}, 2);
  EXPECT_EQ(range.min, -3);
  EXPECT_EQ(range.max, 3);
}

TEST(RunningRange, MovingAverageTakesAStepWithEachCollection) {
  const CalibrationOptions options{.method = Calibration::kMovingAverage, .moving_average_constant = 0.25};
  const ValueRange one_by_one = ranged(options, kSamples, 1);
  EXPECT_EQ(one_by_one.min, ((-1 + 0.25 * -2) * 0.75) * 0.75 + 0.25 * -8);
  EXPECT_EQ(one_by_one.max, ((2 + 0.25 * 2) + 0.25 * 5.5) * 0.75);
  const ValueRange in_pairs = ranged(options, kSamples, 2);
  EXPECT_EQ(in_pairs.min, -2 + 0.25 * (-4 + 2));
  EXPECT_EQ(in_pairs.max, 3 + 0.25 * (4 - 3));
  const ValueRange at_once = ranged(options, kSamples, 4);
  EXPECT_EQ(at_once.min, -3);
  EXPECT_EQ(at_once.max, 3.5);
}

TEST(RunningRange, MovingAverageOfSymmetricRangesIsTakenInEachCollection) {
  const ValueRange range =
      ranged({.method = Calibration::kMovingAverage, .symmetric = true, .moving_average_constant = 0.5},
             {{-1, 2}, {-4, 0}}, 1);
  EXPECT_EQ(range.max, 3);
  EXPECT_EQ(range.min, -3);
}

TEST(RunningRange, MeanSigmaIsCutToWhatWasObserved) {
  const std::vector<std::vector<float>> samples = {{-1, 0, 1}, {-1, 0, 1, 30}};
  const double mean = 30.0 / 7;
  const double sigma = std::sqrt(904.0 / 7 - mean * mean);
  const ValueRange range = ranged({.method = Calibration::kMeanSigma, .sigmas = 1}, samples, 2);
  EXPECT_EQ(range.min, -1);
  EXPECT_NEAR(range.max, mean + sigma, 1e-12);
  EXPECT_EQ(ranged({.method = Calibration::kMeanSigma, .sigmas = 9}, samples, 2).max, 30);
  EXPECT_EQ(ranged({.method = Calibration::kMeanSigma, .sigmas = 0}, {{3, 3}}, 1).max, 3);
}

TEST(RunningRange, NothingSeenIsTheRangeOfZero) {
  const ValueRange range = ranged({.method = Calibration::kMovingAverage}, {{}, {}}, 1);
  EXPECT_EQ(range.min, 0);
  EXPECT_EQ(range.max, 0);
}

}  // namespace
}  // namespace assay::quantizer
