// SPDX-License-Identifier: Apache-2.0
// Metrics of labelled data, against values computed elsewhere.
#include "harness/compare/metrics/labels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "harness/compare/metrics/all.h"
#include "tests/support/random.h"

namespace assay::compare {
namespace {

// Rows of two classes with label 1, right where the counts say so.
struct Rows2 {
  Tensor actual;
  Tensor reference;
  Tensor labels;
};

Rows2 make_rows(const PairedCounts& counts) {
  std::vector<float> actual;
  std::vector<float> reference;
  const auto add = [&](std::size_t count, bool actual_right, bool reference_right) {
    for (std::size_t i = 0; i < count; ++i) {
      actual.insert(actual.end(), {0, actual_right ? 1.0F : -1.0F});
      reference.insert(reference.end(), {0, reference_right ? 1.0F : -1.0F});
    }
  };
  add(counts.both, true, true);
  add(counts.actual_only, true, false);
  add(counts.reference_only, false, true);
  add(counts.neither, false, false);
  const auto n = static_cast<Index>(counts.rows());
  return {Tensor::from<float>({n, 2}, actual), Tensor::from<float>({n, 2}, reference),
          Tensor::from<Index>({n}, std::vector<Index>(counts.rows(), 1))};
}

CheckResult judged(const char* metric, const PairedCounts& counts, Side side = Side::kBoth, const Limits& limits = {}) {
  const Rows2 rows = make_rows(counts);
  MetricOptions options;
  options.labels = &rows.labels;
  options.side = side;
  const auto result = evaluate(*find_metric(metric), {rows.actual, rows.reference, options}, limits);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value() : CheckResult{};
}

double p_value(std::size_t actual_only, std::size_t reference_only, Side side = Side::kBoth) {
  return judged("mcnemar_p", {10, actual_only, reference_only, 5, {}}, side).measured.value;
}

TEST(McNemar, IsTheExactBinomialTest) {
  EXPECT_DOUBLE_EQ(p_value(0, 0), 1.0);
  EXPECT_DOUBLE_EQ(p_value(1, 1), 1.0);
  EXPECT_NEAR(p_value(0, 5), 0.0625, 1e-15);
  EXPECT_NEAR(p_value(5, 0), 0.0625, 1e-15);
  EXPECT_NEAR(p_value(2, 8), 112.0 / 1024, 1e-15);  // 2 (1 + 10 + 45) / 2^10
  EXPECT_NEAR(p_value(4, 4), 1.0, 1e-15);
  // From exact fractions.
  EXPECT_NEAR(p_value(59, 121), 4.434449263755176e-06, 1e-17);
  EXPECT_NEAR(p_value(12, 15), 0.7011080384254456, 1e-13);
  EXPECT_NEAR(p_value(2000, 2100), 0.12206497999113813, 1e-10);
}

TEST(McNemar, HasSides) {
  EXPECT_NEAR(p_value(2, 8, Side::kBelow), 56.0 / 1024, 1e-15);    // P(B <= 2)
  EXPECT_NEAR(p_value(2, 8, Side::kAbove), 1013.0 / 1024, 1e-15);  // P(B >= 2)
  EXPECT_NEAR(p_value(8, 2, Side::kAbove), 56.0 / 1024, 1e-15);
}

TEST(McNemar, DoesNotUnderflow) {
  // 2^-4000 is no double; the sum is. By symmetry P(B <= n/2) = 1/2 + P(B = n/2)/2, and P(B = n/2) is nearly
  // sqrt(2 / (pi n)).
  const double p = p_value(2000, 2000, Side::kBelow);
  EXPECT_NEAR(p, 0.5 + std::sqrt(2 / (std::numbers::pi * 4000)) / 2, 1e-6);
  EXPECT_GT(p_value(1900, 2100), 0.0);
}

TEST(McNemar, NamesTheFirstRowThatTheReferenceAloneHasRight) {
  const CheckResult result = judged("mcnemar_p", {2, 1, 6, 0, {}}, Side::kBelow, {.at_most = {}, .at_least = 0.1});
  EXPECT_FALSE(result.passed);
  EXPECT_NEAR(result.measured.value, 8.0 / 128, 1e-15);
  EXPECT_EQ(result.measured.detail, "6 of 9 rows are right in the reference alone, 1 in the actual output alone");
  ASSERT_TRUE(result.measured.worst.has_value());
  EXPECT_EQ(result.measured.worst->at, (Shape{3}));
  EXPECT_EQ(result.measured.worst->actual, 0);
  EXPECT_EQ(result.measured.worst->reference, 1);
  ASSERT_EQ(result.would_pass.size(), 1U);
  EXPECT_EQ(result.would_pass[0].first, "at_least");
  EXPECT_EQ(result.would_pass[0].second, result.measured.value);
}

TEST(AccuracyDrop, IsTheDifferenceWithNewcombesInterval) {
  struct Row {
    PairedCounts counts;
    double drop, low, high;
  };
  // The first is Newcombe's own example (0.0569 to 0.3404); the others are from a second writing of the method.
  const Row rows[] = {
      {{36, 2, 12, 0, {}}, 0.2, 0.05692958400323883, 0.3404276029749406},
      {{36, 0, 12, 2, {}}, 0.24, 0.11440798001046337, 0.37349555990622585},
      {{40, 4, 6, 50, {}}, 0.02, -0.0440093548454734, 0.08355606332284263},
      {{50, 0, 0, 0, {}}, 0, -0.07134759913335875, 0.07134759913335875},
      {{3, 20, 9, 1, {}}, -1.0 / 3, -0.5858346116144972, -0.016124610380035653},
  };
  for (const Row& row : rows) {
    const MetricValue value = judged("accuracy_drop", row.counts).measured;
    EXPECT_NEAR(value.value, row.drop, 1e-15);
    ASSERT_TRUE(value.interval.has_value());
    EXPECT_NEAR(value.interval->low, row.low, 1e-12);
    EXPECT_NEAR(value.interval->high, row.high, 1e-12);
    EXPECT_EQ(value.n, static_cast<Index>(row.counts.rows()));
  }
}

// The interval must hold the truth in about 95 of 100 draws.
TEST(AccuracyDrop, IntervalCoversTheTruth) {
  SCOPED_TRACE(testing::Message() << "seed " << test::test_seed());
  test::Random random(17);
  constexpr float kShares[] = {0.80F, 0.03F, 0.07F, 0.10F};  // both, actual alone, reference alone, neither
  constexpr int kDraws = 1000;
  int covered = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    PairedCounts counts;
    for (int row = 0; row < 200; ++row) {
      const float u = random.uniform(0, 1);
      std::size_t& count = u < kShares[0]                             ? counts.both
                           : u < kShares[0] + kShares[1]              ? counts.actual_only
                           : u < kShares[0] + kShares[1] + kShares[2] ? counts.reference_only
                                                                      : counts.neither;
      ++count;
    }
    const Interval interval = *judged("accuracy_drop", counts).measured.interval;
    covered += interval.low <= 0.04 && 0.04 <= interval.high ? 1 : 0;
  }
  EXPECT_GT(covered, 915);
  EXPECT_LT(covered, 985);
}

TEST(AccuracyDrop, ConfidentAsksForTheWholeInterval) {
  const PairedCounts counts{90, 2, 3, 5, {}};  // drop 0.01, well below 0.03; its interval is not
  EXPECT_TRUE(judged("accuracy_drop", counts, Side::kBoth, {.at_most = 0.03, .at_least = {}}).passed);
  const CheckResult strict =
      judged("accuracy_drop", counts, Side::kBoth, {.at_most = 0.03, .at_least = {}, .confident = true});
  EXPECT_FALSE(strict.passed);
  ASSERT_EQ(strict.would_pass.size(), 1U);
  EXPECT_EQ(strict.would_pass[0].second, strict.measured.interval->high);
}

TEST(Labels, MustFitTheRows) {
  const Tensor rows = Tensor::from<float>({2, 2}, {0, 1, 1, 0});
  const Tensor few = Tensor::from<Index>({1}, {1});
  const Tensor beyond = Tensor::from<Index>({2}, {1, 2});
  const auto message = [&](const Tensor* labels) {
    MetricOptions options;
    options.labels = labels;
    return paired_counts({rows, rows, options}, "mcnemar_p").error().message;
  };
  EXPECT_EQ(message(nullptr), "mcnemar_p: there are no labels");
  EXPECT_EQ(message(&few), "mcnemar_p: 1 labels for an output of shape [2,2], which has 2 rows");
  EXPECT_EQ(message(&beyond), "mcnemar_p: label 2 of row 1 is none of the 2 classes");
}

}  // namespace
}  // namespace assay::compare
