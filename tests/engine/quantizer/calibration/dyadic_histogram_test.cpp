// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/dyadic_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

TEST(DyadicHistogram, ItsRangeIsThePowerOfTwoAboveEveryValue) {
  DyadicHistogram histogram(false, 4);
  const std::vector<float> values = {0, 0.9F, -1, 2.5F, 3.9F};
  histogram.add(values, scan(values));
  const Histogram found = histogram.finish(scan(values));
  EXPECT_EQ(found.edges, (std::vector<float>{0, 1, 2, 3, 4}));
  EXPECT_EQ(found.counts, (std::vector<std::uint64_t>{2, 1, 1, 1}));
  EXPECT_EQ(found.min, -1);
  EXPECT_EQ(found.max, 3.9F);
}

TEST(DyadicHistogram, SignedBinsLieAroundZero) {
  DyadicHistogram histogram(true, 4);
  const std::vector<float> values = {-1.5F, -1, -0.5F, -0.0F, 0, 0.5F, 1, 1.5F};
  histogram.add(values, scan(values));
  const Histogram found = histogram.finish(scan(values));
  EXPECT_EQ(found.edges, (std::vector<float>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(found.counts, (std::vector<std::uint64_t>{1, 2, 3, 2}));
}

TEST(DyadicHistogram, APowerOfTwoItselfIsInsideTheNext) {
  DyadicHistogram histogram(false, 4);
  const std::vector<float> values = {4};
  histogram.add(values, scan(values));
  EXPECT_EQ(histogram.finish(scan(values)).edges.back(), 8);
}

// Whatever the order and however shared out, the counts are those of one histogram of the last range.
TEST(DyadicHistogram, CountsDependOnTheValuesAlone) {
  test::Random random(4);
  for (const bool is_signed : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      std::vector<std::vector<float>> parts(6);
      std::vector<float> all;
      for (std::vector<float>& part : parts) {
        const float size = std::ldexp(1.0F, static_cast<int>(random.integer(-6, 6)));
        for (int i = 0; i < 200; ++i) {
          part.push_back(random.chance(0.2) ? 0.0F : random.normal(0, size));
        }
        all.insert(all.end(), part.begin(), part.end());
      }
      DyadicHistogram whole(is_signed, 64);
      whole.add(all, scan(all));
      DyadicHistogram a(is_signed, 64);
      DyadicHistogram b(is_signed, 64);
      for (std::size_t i = parts.size(); i-- > 0;) {
        (random.chance(0.5) ? a : b).add(parts[i], scan(parts[i]));
      }
      a.merge(b);
      const Histogram expected = whole.finish(scan(all));
      ASSERT_EQ(a.finish(scan(all)).counts, expected.counts) << "seed " << test::test_seed() << " round " << round;
      ASSERT_EQ(a.finish(scan(all)).edges, expected.edges);
      std::vector<std::uint64_t> by_edges(expected.counts.size(), 0);
      for (const float value : all) {
        const float placed = is_signed ? value : std::fabs(value);
        std::size_t bin = 0;
        while (placed >= expected.edges[bin + 1]) {
          ++bin;
        }
        ++by_edges[bin];
      }
      ASSERT_EQ(expected.counts, by_edges);
    }
  }
}

TEST(DyadicHistogram, ZerosAndTinyValuesCount) {
  DyadicHistogram histogram(false, 4);
  const std::vector<float> values = {0, 1e-42F, std::numeric_limits<float>::quiet_NaN()};
  histogram.add(values, scan(values));
  EXPECT_EQ(histogram.finish(scan(values)).counts, (std::vector<std::uint64_t>{2, 0, 0, 0}));
}

TEST(DyadicHistogram, BinsAreAPowerOfTwo) {
  const Scan none;
  EXPECT_EQ(DyadicHistogram(false, 128).finish(none).counts.size(), 128U);
  EXPECT_EQ(DyadicHistogram(false, 129).finish(none).counts.size(), 256U);
}

}  // namespace
}  // namespace assay::quantizer
