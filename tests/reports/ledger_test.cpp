// SPDX-License-Identifier: Apache-2.0
// The error ledger: its rows, table and picture.
#include <gmock/gmock.h>

#include <limits>

#include "reports/ledger_chart.h"
#include "reports/ledger_table.h"
#include "reports/report_html.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

VariantResult split(const char* isa, double quantization, double arithmetic, double rmse) {
  VariantResult result = test::make_result("c", {{"runtime.isa", isa}}, Outcome::kFail);
  result.ledger = {{"quantization", "y", quantization * rmse, 1, quantization},
                   {"arithmetic", "y", arithmetic * rmse, 1, arithmetic},
                   {"total", "y", rmse, 1, 1}};
  return result;
}

RunRecord sample() {
  RunRecord run;
  run.results.push_back(split("scalar", 1, 0, 0.5));
  run.results.push_back(split("sse41", 1, 0, 0.5));
  run.results.push_back(split("avx2", 1.25, -0.25, 2));
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    Check check = test::make_check("rmse", i == 2 ? 2.5 : 0.5, 1, i != 2);
    check.parameters = {{"part", "quantization"}};
    run.results[i].checks = {check};
  }
  return run;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

TEST(Ledger, TableHasARowPerSplitAndTheBudgets) {
  const RunRecord run = sample();
  const TextTable table = ledger_table(group_by_case(run.results).front());
  ASSERT_EQ(table.columns.size(), 5U);
  EXPECT_EQ(table.columns.back().title, "budgets");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0],
              ElementsAre("runtime.isa=scalar ...", "0.5 (100.0 %)", "0", "0.5", "quantization rmse at_most 1: ok"));
  EXPECT_THAT(table.rows[1], ElementsAre("runtime.isa=avx2", "2.5 (125.0 %)", "-0.5 (-25.0 %)", "2",
                                         "quantization rmse at_most 1: 2.5"));
}

TEST(Ledger, ChartStacksThePartsOfEachRowOnBothSidesOfZero) {
  const RunRecord run = sample();
  const std::string svg = render_ledger_chart(group_by_case(run.results).front());
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  // Background, two keys; one bar of the first row, two of the other.
  EXPECT_EQ(count(svg, "<rect "), 1U + 2U + 1U + 2U);
  // 420 pixels for shares from -0.25 to 1.25: 280 for 1, 350 for 1.25, 70 for 0.25.
  EXPECT_THAT(svg, HasSubstr("width=\"280.0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"350.0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"70.0\""));
  EXPECT_THAT(svg, HasSubstr(">rmse 2</text>"));
}

TEST(Ledger, SharesThatAreNoNumbersHaveNoBar) {
  RunRecord run;
  run.results.push_back(split("avx2", std::numeric_limits<double>::quiet_NaN(), 0, 1));
  const std::string svg = render_ledger_chart(group_by_case(run.results).front());
  EXPECT_EQ(count(svg, "<rect "), 3U);
  EXPECT_THAT(svg, Not(HasSubstr("nan\"")));
}

TEST(Ledger, IsInTheHtmlPageWhereErrorsWereSplit) {
  EXPECT_THAT(report_text(start_report_html, sample()), HasSubstr("error by its source"));
  EXPECT_THAT(report_text(start_report_html, sample()), HasSubstr("share of the squared error</text>"));
  EXPECT_THAT(report_text(start_report_html, test::every_outcome()), Not(HasSubstr("error by its source")));
}

}  // namespace
}  // namespace assay::reports
