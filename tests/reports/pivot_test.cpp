// SPDX-License-Identifier: Apache-2.0
#include "reports/pivot.h"

#include <gtest/gtest.h>

#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

// relu x isa x constant axis; the error depends on relu only, the outcome on relu and isa.
std::vector<VariantResult> matrix() {
  std::vector<VariantResult> results;
  for (const char* relu : {"safe", "drop", "keep"}) {
    for (const char* isa : {"scalar", "avx2", "avx512"}) {
      const bool dropped = std::string(relu) == "drop";
      VariantResult result =
          test::make_result("c", {{"quantizer.relu", relu}, {"runtime.isa", isa}, {"runtime.threads", 1}},
                            dropped && std::string(isa) != "scalar" ? Outcome::kXfail : Outcome::kPass);
      result.checks = {test::make_check("max_abs_error", dropped ? 127 : 0, 0.5, !dropped)};
      results.push_back(result);
    }
  }
  return results;
}

TEST(Pivot, MergesEqualRowsAndLeavesConstantAxesOut) {
  const std::vector<VariantResult> results = matrix();
  const Pivot pivot = make_pivot(group_by_case(results).front());
  EXPECT_EQ(pivot.axes, (std::vector<std::string>{"relu", "isa"}));
  EXPECT_EQ(pivot.figures, (std::vector<std::string>{"max abs error"}));
  EXPECT_FALSE(pivot.accuracy);
  ASSERT_EQ(pivot.rows.size(), 3U);
  EXPECT_EQ(pivot.rows[0].axis_values, (std::vector<std::string>{"safe, keep", "*"}));
  EXPECT_EQ(pivot.rows[0].variants.size(), 6U);
  EXPECT_EQ(pivot.rows[1].axis_values, (std::vector<std::string>{"drop", "scalar"}));
  EXPECT_EQ(pivot.rows[2].axis_values, (std::vector<std::string>{"drop", "avx2, avx512"}));
  EXPECT_EQ(pivot.rows[2].figures, (std::vector<std::string>{"127"}));
}

// Every variant is in exactly one row, and the row's cells speak for it.
TEST(Pivot, RowsPartitionTheVariants) {
  const std::vector<VariantResult> results = matrix();
  const Pivot pivot = make_pivot(group_by_case(results).front());
  std::size_t count = 0;
  for (const PivotRow& row : pivot.rows) {
    for (const VariantResult* variant : row.variants) {
      EXPECT_EQ(variant->outcome, row.outcome);
      ++count;
    }
  }
  EXPECT_EQ(count, results.size());
}

TEST(Pivot, AxisThatDoesNotApplyIsADash) {
  const std::vector<VariantResult> results = {
      test::make_result("c", {{"quantizer.format", "qdq"}, {"quantizer.relu", "safe"}}, Outcome::kPass),
      test::make_result("c", {{"quantizer.format", "none"}}, Outcome::kFail)};
  const Pivot pivot = make_pivot(group_by_case(results).front());
  ASSERT_EQ(pivot.rows.size(), 2U);
  EXPECT_EQ(pivot.rows[1].axis_values, (std::vector<std::string>{"none", "-"}));
}

TEST(Pivot, AccuracyFiguresHaveTheirInterval) {
  VariantResult result = test::make_result("c", {{"runtime.isa", "avx2"}}, Outcome::kPass);
  Measurement top1 = test::make_measurement("top1_accuracy", 0.8921);
  top1.low = 0.87;
  top1.high = 0.91;
  result.measurements = {top1, test::make_measurement("sqnr_db", 35.42), test::make_measurement("max_abs_error", 3)};
  const std::vector<VariantResult> results = {result};
  const Pivot pivot = make_pivot(group_by_case(results).front());
  EXPECT_TRUE(pivot.accuracy);
  ASSERT_EQ(pivot.rows.size(), 1U);
  EXPECT_EQ(pivot.rows[0].figures, (std::vector<std::string>{"89.21 [87.00, 91.00]", "35.4"}));
}

TEST(Pivot, WorstOutputSpeaksForTheVariant) {
  VariantResult result = test::make_result("c", Json::object(), Outcome::kPass);
  result.measurements = {test::make_measurement("sqnr_db", 40), test::make_measurement("sqnr_db", 20),
                         test::make_measurement("max_abs_error", 1), test::make_measurement("max_abs_error", 2)};
  EXPECT_EQ(find_measurement(result, "sqnr_db")->value, 20);
  EXPECT_EQ(find_measurement(result, "max_abs_error")->value, 2);
  EXPECT_FALSE(find_measurement(result, "rmse"));
}

}  // namespace
}  // namespace assay::reports
