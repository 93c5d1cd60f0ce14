// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Scan, FindsExtremesWhereverTheyAre) {
  test::Random random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> values(static_cast<std::size_t>(random.integer(1, 70)));
    for (float& value : values) {
      value = random.normal(random.chance(0.5) ? 0.0F : 5.0F, 1);
    }
    float min = values[0];
    float max = values[0];
    float least = std::fabs(values[0]);
    for (const float value : values) {
      min = std::min(min, value);
      max = std::max(max, value);
      least = std::min(least, std::fabs(value));
    }
    const Scan found = scan(values);
    ASSERT_EQ(found.min, min) << "seed " << test::test_seed() << " round " << round;
    ASSERT_EQ(found.max, max);
    ASSERT_EQ(found.least_magnitude, least);
    ASSERT_EQ(found.first_not_finite, -1);
  }
}

TEST(Scan, PassesOverWhatIsNotFiniteAndSaysWhereItIs) {
  for (const float bad : {kNan, kInf, -kInf}) {
    for (const std::size_t at : {0U, 5U, 15U, 16U, 31U, 33U}) {
      std::vector<float> values(34, 2);
      values[1] = -3;
      values[at] = bad;
      const Scan found = scan(values);
      EXPECT_EQ(found.first_not_finite, static_cast<Index>(at));
      EXPECT_EQ(found.min, -3);
      EXPECT_EQ(found.max, 2);
      EXPECT_EQ(found.least_magnitude, 2);
    }
  }
}

TEST(Scan, GivesTheExtremesOfEachBlock) {
  test::Random random(3);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kScanBlock - 1, kScanBlock, kScanBlock + 1, 5 * kScanBlock + 37}) {
    std::vector<float> values(size);
    for (float& value : values) {
      value = random.chance(0.01) ? kNan : random.normal(0, 1);
    }
    std::vector<BlockExtremes> blocks(3);
    scan(values, &blocks);
    ASSERT_EQ(blocks.size(), (size + kScanBlock - 1) / kScanBlock);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      BlockExtremes expected;
      for (std::size_t i = block * kScanBlock; i < std::min(size, (block + 1) * kScanBlock); ++i) {
        expected.min = std::isnan(values[i]) ? expected.min : std::min(expected.min, values[i]);
        expected.max = std::isnan(values[i]) ? expected.max : std::max(expected.max, values[i]);
      }
      EXPECT_EQ(blocks[block].min, expected.min) << "size " << size << " block " << block;
      EXPECT_EQ(blocks[block].max, expected.max) << "size " << size << " block " << block;
    }
  }
}

TEST(Scan, NothingIsNoRange) {
  EXPECT_FALSE(scan({}).has_values());
  EXPECT_FALSE(scan(std::vector<float>{kNan}).has_values());
  EXPECT_EQ(moments({}).count, 0);
  EXPECT_EQ(moments(std::vector<float>{kInf}).count, 0);
}

TEST(Moments, MergedPartsAreTheWhole) {
  test::Random random(2);
  std::vector<float> values(1000);
  double sum = 0;
  for (float& value : values) {
    value = random.normal(1000, 0.01F);  // a large mean: the sum of squares alone would lose the deviation
    sum += static_cast<double>(value);
  }
  const double mean = sum / 1000;
  double m2 = 0;
  for (const float value : values) {
    m2 += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  Moments merged;
  for (std::size_t first = 0; first < values.size(); first += 90) {
    merged.merge(moments(std::span(values).subspan(first, std::min<std::size_t>(90, values.size() - first))));
  }
  EXPECT_EQ(merged.count, 1000);
  EXPECT_NEAR(merged.mean, mean, 1e-9);
  EXPECT_NEAR(merged.m2 / m2, 1, 1e-9);
}

TEST(Moments, LeaveOutWhatIsNotFinite) {
  const Moments found = moments(std::vector<float>{kNan, 1, 3, kInf});
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.mean, 2);
  EXPECT_EQ(found.m2, 2);
}

}  // namespace
}  // namespace assay::quantizer
