// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/range_diff.h"

#include <gmock/gmock.h>

#include <limits>

#include "harness/diff/diff_text.h"

namespace assay::diff {
namespace {

using testing::HasSubstr;

TEST(CompareRanges, EqualWithinTheToleranceOfTheSpan) {
  const RangeMap a = {{"t", {-1, 3}}};
  EXPECT_TRUE(compare_ranges(a, {{"t", {-1, 3.03}}}, 0.01).equal());
  EXPECT_FALSE(compare_ranges(a, {{"t", {-1, 3.05}}}, 0.01).equal());
  EXPECT_TRUE(compare_ranges({{"t", {2, 2}}}, {{"t", {2, 2}}}, 0).equal());
  EXPECT_FALSE(compare_ranges({{"t", {2, 2}}}, {{"t", {2, 2.1}}}, 1).equal());
}

TEST(CompareRanges, HugeAndInfiniteEndsHideNoChange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const RangeMap plain = {{"t", {-1, 1}}};
  for (const RangeMap& other :
       {RangeMap{{"t", {-1e308, 1e308}}}, RangeMap{{"t", {-kInfinity, 1}}}, RangeMap{{"t", {-1, kNan}}}}) {
    EXPECT_FALSE(compare_ranges(plain, other, 1e-6).equal());
    EXPECT_FALSE(compare_ranges(other, plain, 1e-6).equal());
    EXPECT_TRUE(compare_ranges(other, other, 0).equal());
  }
}

TEST(CompareRanges, LargestFirstWithAddedAndRemovedInFront) {
  const RangeMap a = {{"gone", {0, 1}}, {"little", {0, 1}}, {"much", {0, 1}}, {"same", {0, 1}}};
  const RangeMap b = {{"little", {0, 1.1}}, {"much", {-2, 1}}, {"new", {0, 1}}, {"same", {0, 1}}};
  const RangeDiff diff = compare_ranges(a, b, 1e-6);
  ASSERT_EQ(diff.entries.size(), 4U);
  EXPECT_EQ(diff.entries[0].tensor, "gone");
  EXPECT_EQ(diff.entries[1].tensor, "new");
  EXPECT_EQ(diff.entries[2].tensor, "much");
  EXPECT_DOUBLE_EQ(diff.entries[2].weight, 2);
  EXPECT_EQ(diff.entries[3].tensor, "little");
  EXPECT_EQ(diff.compared, 3U);
  const std::string text = render_text(diff, {"a.json", "b.json"}, 0);
  EXPECT_THAT(text, HasSubstr("much    [0, 1]  [-2, 1]    +200 %"));
  EXPECT_THAT(text, HasSubstr("different: 4 tensors (2 changed, 1 added, 1 removed) of 3 compared"));
  EXPECT_EQ(to_json(diff, {"a", "b"}, 0).at("tensors")[0].at("b"), nullptr);
}

}  // namespace
}  // namespace assay::diff
