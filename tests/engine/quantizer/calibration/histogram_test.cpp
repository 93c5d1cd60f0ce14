// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

// By the definition: edges[i] <= x < edges[i + 1], what is outside in the first and the last bin.
std::vector<std::uint64_t> counted_one_by_one(const std::vector<float>& values, const LayoutStage& stage,
                                              HistogramKind kind) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(stage.bins()), 0);
  for (const float signed_value : values) {
    if (!std::isfinite(signed_value)) {
      continue;
    }
    const float value = kind == HistogramKind::kMagnitude ? std::fabs(signed_value) : signed_value;
    std::size_t bin = 0;
    while (bin + 1 < counts.size() && value >= stage.edges[bin + 1]) {
      ++bin;
    }
    ++counts[bin];
  }
  return counts;
}

TEST(CountValues, EveryValueIsInTheBinThatItsEdgesSay) {
  test::Random random(3);
  CountScratch scratch;
  for (const Index bins : {2, 100, 2048, 5000}) {
    for (const HistogramKind kind : {HistogramKind::kSigned, HistogramKind::kMagnitude}) {
      std::vector<float> values(3000);
      for (float& value : values) {
        value = random.chance(0.3) ? 0.0F : random.normal(0, 3);
      }
      const Scan extremes = scan(values);
      HistogramLayout layout(kind, bins);
      layout.add_collection(0, extremes);
      const LayoutStage& stage = layout.stages()[0];
      for (std::size_t i = 0; i < 1000; ++i) {  // the edges themselves and their neighbours
        const auto edge = static_cast<std::size_t>(random.integer(1, bins - 1));
        const float away = random.chance(0.5) ? -10.0F : 10.0F;
        values.push_back(random.chance(0.5) ? stage.edges[edge] : std::nextafter(stage.edges[edge], away));
      }
      std::vector<std::uint64_t> counts(static_cast<std::size_t>(bins), 0);
      count_values(values, stage, kind, scratch, counts);
      EXPECT_EQ(counts, counted_one_by_one(values, stage, kind)) << bins << " bins, seed " << test::test_seed();
    }
  }
}

TEST(CountValues, AddsAndPassesOverWhatIsNotFinite) {
  CountScratch scratch;
  const LayoutStage stage{.first_collection = 0, .edges = {-2, -1, 0, 1, 2}};
  std::vector<std::uint64_t> counts = {1, 0, 0, 0};
  std::vector<float> values(2000, 0.5F);
  values[7] = std::numeric_limits<float>::quiet_NaN();
  values[1500] = -std::numeric_limits<float>::infinity();
  values[3] = 2;
  values[4] = -9;
  count_values(values, stage, HistogramKind::kSigned, scratch, counts);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{2, 0, 1996, 1}));
}

TEST(CountValues, WidthsBeyondFloatAreSearched) {
  CountScratch scratch;
  const std::vector<float> values(1000, 1e-42F);
  HistogramLayout layout(HistogramKind::kSigned, 2048);
  layout.add_collection(0, scan(values));
  std::vector<std::uint64_t> counts(2048, 0);
  count_values(values, layout.stages()[0], HistogramKind::kSigned, scratch, counts);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 1000U);
  EXPECT_EQ(counts, counted_one_by_one(values, layout.stages()[0], HistogramKind::kSigned));
}

}  // namespace
}  // namespace assay::quantizer
