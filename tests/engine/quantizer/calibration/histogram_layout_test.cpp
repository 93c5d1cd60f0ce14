// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/histogram_layout.h"

#include <gtest/gtest.h>

namespace assay::quantizer {
namespace {

Scan extremes(float min, float max, float least = 0) {
  return {.min = min, .max = max, .least_magnitude = least, .first_not_finite = -1};
}

TEST(HistogramLayout, SignedBinsSpanTheLargestMagnitude) {
  HistogramLayout layout(HistogramKind::kSigned, 4);
  layout.add_collection(0, extremes(-1, 2));
  ASSERT_EQ(layout.stages().size(), 1U);
  EXPECT_EQ(layout.stages()[0].edges, (std::vector<float>{-2, -1, 0, 1, 2}));
}

TEST(HistogramLayout, SignedBinsGrowOnBothSidesWithTheirWidth) {
  HistogramLayout layout(HistogramKind::kSigned, 4);
  layout.add_collection(0, extremes(-1, 2));
  layout.add_collection(1, extremes(-2, 1));  // fits
  layout.add_collection(2, extremes(-4.5F, 0));
  ASSERT_EQ(layout.stages().size(), 2U);
  EXPECT_EQ(layout.stages()[1].edges, (std::vector<float>{-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(layout.stages()[1].first_collection, 2);
  EXPECT_EQ(layout.shift(layout.stages()[0]), 3);
  EXPECT_EQ(&layout.stage_of(1), &layout.stages()[0]);
  EXPECT_EQ(&layout.stage_of(2), &layout.stages()[1]);
}

TEST(HistogramLayout, ZerosAloneHaveABinOfWidthOne) {
  HistogramLayout layout(HistogramKind::kSigned, 2);
  layout.add_collection(0, extremes(0, 0));
  EXPECT_EQ(layout.stages()[0].edges, (std::vector<float>{-0.5F, 0, 0.5F}));
  layout.add_collection(1, extremes(0, 3));
  EXPECT_EQ(layout.stages()[1].edges, (std::vector<float>{-3, 0, 3}));
  EXPECT_EQ(layout.shift(layout.stages()[0]), 0);
}

TEST(HistogramLayout, MagnitudesBeginAtTheLeastAndGrowAtTheEnd) {
  HistogramLayout layout(HistogramKind::kMagnitude, 4);
  layout.add_collection(0, extremes(-5, 3, 1));
  EXPECT_EQ(layout.stages()[0].edges, (std::vector<float>{1, 2, 3, 4, 5}));
  layout.add_collection(1, extremes(-5, 6.5F, 0));
  EXPECT_EQ(layout.stages()[1].edges, (std::vector<float>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(layout.shift(layout.stages()[0]), 0);
}

TEST(HistogramLayout, CollectionsWithoutValuesAreNoMatter) {
  HistogramLayout layout(HistogramKind::kSigned, 4);
  layout.add_collection(0, Scan());
  EXPECT_TRUE(layout.stages().empty());
  layout.add_collection(1, extremes(-2, 2));
  layout.add_collection(2, Scan());
  EXPECT_EQ(layout.stages().size(), 1U);
}

}  // namespace
}  // namespace assay::quantizer
