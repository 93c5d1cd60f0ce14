// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/quantizer/calibration/dyadic_histogram.h"
#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

// The header's formula, word for word.
double divergence(const std::vector<double>& h, std::size_t bins) {
  std::vector<double> p(h.begin(), h.begin() + static_cast<std::ptrdiff_t>(bins));
  for (std::size_t b = bins; b < h.size(); ++b) {
    p[bins - 1] += h[b];
  }
  std::vector<double> q(bins, 0);
  for (std::size_t g = 0; g < 128; ++g) {
    const std::size_t begin = g * bins / 128;
    const std::size_t end = (g + 1) * bins / 128;
    double sum = 0;
    double filled = 0;
    for (std::size_t b = begin; b < end; ++b) {
      sum += h[b];
      filled += p[b] != 0 ? 1 : 0;
    }
    for (std::size_t b = begin; b < end; ++b) {
      q[b] = p[b] != 0 ? sum / filled : 0;
    }
  }
  double sum_p = 0;
  double sum_q = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    sum_p += p[b];
    sum_q += q[b];
  }
  double kl = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    if (p[b] != 0) {
      kl += p[b] / sum_p * std::log(p[b] / sum_p / (q[b] != 0 ? q[b] / sum_q : 1e-4));
    }
  }
  return kl;
}

Histogram normal_values(std::uint64_t stream, int outliers, Index bins) {
  test::Random random(stream);
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(random.normal(0, 1));
  }
  for (int i = 0; i < outliers; ++i) {
    values.push_back(random.uniform(20, 30));
  }
  values.push_back(31);
  DyadicHistogram histogram(false, bins);
  histogram.add(values, scan(values));
  return histogram.finish(scan(values));
}

TEST(Entropy, FindsTheCandidateOfLeastDivergence) {
  for (const std::uint64_t stream : {5U, 6U}) {
    const Histogram histogram = normal_values(stream, 10, 512);
    std::vector<double> h(histogram.counts.begin(), histogram.counts.end());
    h[0] = h[1];
    std::size_t best = h.size();
    double least = divergence(h, best);
    for (std::size_t bins = h.size() - 1; bins >= 128; --bins) {
      if (divergence(h, bins) < least - 1e-12) {
        least = divergence(h, bins);
        best = bins;
      }
    }
    EXPECT_LT(best, h.size());
    const ValueRange range = entropy_range(histogram, true);
    EXPECT_EQ(range.max, static_cast<double>(histogram.edges[best])) << "seed " << test::test_seed();
    EXPECT_EQ(range.min, -range.max);
  }
}

// Histograms of every kind: few filled bins, heavy tails, most of it in one place.
TEST(Entropy, NoOtherCandidateIsBetter) {
  for (std::uint64_t stream = 0; stream < 40; ++stream) {
    test::Random random(100 + stream);
    Histogram histogram{.edges = {}, .counts = {}, .min = 0, .max = 1000};
    const float filled = random.uniform(0.01F, 1);
    const float spread = random.uniform(1, 300);
    for (int bin = 0; bin < 512; ++bin) {
      const float mean = 20000 * std::exp(-static_cast<float>(bin) / spread);
      const bool has_any = random.uniform(0, 1) < filled || bin == 511;
      histogram.counts.push_back(has_any ? static_cast<std::uint64_t>(std::ceil(random.uniform(0, 2) * mean)) : 0);
    }
    for (int edge = 0; edge <= 512; ++edge) {
      histogram.edges.push_back(static_cast<float>(edge));
    }
    std::vector<double> h(histogram.counts.begin(), histogram.counts.end());
    h[0] = h[1];
    double least = divergence(h, 128);
    for (std::size_t bins = 129; bins <= 512; ++bins) {
      least = std::min(least, divergence(h, bins));
    }
    const double found = divergence(h, static_cast<std::size_t>(entropy_range(histogram, true).max));
    EXPECT_NEAR(found, least, 1e-11) << "seed " << test::test_seed() << ", stream " << stream;
  }
}

TEST(Entropy, CutsFewOutliersAndStaysInsideWhatWasObserved) {
  const Histogram histogram = normal_values(7, 3, 2048);
  const ValueRange range = entropy_range(histogram, false);
  EXPECT_LT(range.max, 10);
  EXPECT_GT(range.max, 2);
  EXPECT_GE(range.min, static_cast<double>(histogram.min));
}

TEST(Entropy, With128BinsItIsMinMaxAsThePeer) {
  const Histogram histogram = normal_values(8, 3, 128);
  const ValueRange range = entropy_range(histogram, false);
  EXPECT_EQ(range.min, static_cast<double>(histogram.min));
  EXPECT_EQ(range.max, 31);
}

TEST(Entropy, AConstantKeepsItself) {
  const std::vector<float> values(100, 3);
  DyadicHistogram constant(false, 2048);
  constant.add(values, scan(values));
  EXPECT_EQ(entropy_range(constant.finish(scan(values)), false).max, 3);
  const std::vector<float> zeros(100, 0);
  DyadicHistogram zero(false, 2048);
  zero.add(zeros, scan(zeros));
  EXPECT_EQ(entropy_range(zero.finish(scan(zeros)), false).max, 0);
}

}  // namespace
}  // namespace assay::quantizer
