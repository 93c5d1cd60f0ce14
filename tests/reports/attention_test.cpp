// SPDX-License-Identifier: Apache-2.0
#include "reports/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/console.h"
#include "reports/summary_md.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// drop fails on both saturating ISAs, by different values, and for another reason on scalar.
RunRecord run_of_matrix() {
  RunRecord run;
  for (const char* relu : {"safe", "drop"}) {
    for (const char* isa : {"scalar", "avx2", "avx512"}) {
      const bool dropped = std::string(relu) == "drop";
      VariantResult result = test::make_result("c", {{"quantizer.relu", relu}, {"runtime.isa", isa}},
                                               dropped ? Outcome::kFail : Outcome::kPass);
      const double limit = std::string(isa) == "scalar" ? 0.25 : 0.5;
      result.checks = {test::make_check("max_abs_error", dropped ? 1.0 + static_cast<double>(run.results.size()) : 0,
                                        limit, !dropped)};
      run.results.push_back(result);
    }
  }
  return run;
}

TEST(Attention, PutsEqualFailuresTogetherAndNamesTheirAxes) {
  const RunRecord run = run_of_matrix();
  const std::vector<AttentionGroup> groups = group_attention(run).groups;
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].first.name, run.results[3].name);
  EXPECT_EQ(groups[0].count, 1U);
  EXPECT_EQ(groups[1].first.name, run.results[4].name);
  EXPECT_EQ(groups[1].count, 2U);
  EXPECT_THAT(groups[1].narrowed, ElementsAre("quantizer.relu=drop", "runtime.isa=avx2|avx512"));
}

TEST(Attention, KeepsOtherReasonsOutcomesAndCasesApart) {
  RunRecord run;
  run.results = {
      test::make_result("a", {{"x", 1}}, Outcome::kInvalid), test::make_result("a", {{"x", 2}}, Outcome::kInvalid),
      test::make_result("a", {{"x", 3}}, Outcome::kCrash), test::make_result("b", {{"x", 1}}, Outcome::kInvalid)};
  run.results[1].reason = "another";
  EXPECT_EQ(group_attention(run).groups.size(), 4U);
}

TEST(Attention, LeavesPassesAndUnreachedVariantsOut) {
  RunRecord run;
  for (const Outcome outcome : {Outcome::kPass, Outcome::kXfail, Outcome::kNotRun}) {
    run.results.push_back(test::make_result("a", {{"x", 1}}, outcome));
  }
  EXPECT_THAT(group_attention(run).groups, IsEmpty());
}

TEST(Attention, ConsoleShowsOneOfAGroupAndAllOnRequest) {
  const RunRecord run = run_of_matrix();
  const std::string brief = rendered(render_console, run, ConsoleOptions{});
  EXPECT_THAT(brief, HasSubstr("FAIL c: 2 variants alike, all with quantizer.relu=drop, runtime.isa=avx2|avx512\n"));
  EXPECT_THAT(brief, Not(HasSubstr("runtime.isa=avx512]")));
  EXPECT_THAT(rendered(render_console, run, ConsoleOptions{.color = false, .verbose = true}),
              HasSubstr("FAIL c[quantizer.relu=drop,runtime.isa=avx512]"));
  EXPECT_THAT(report_text(start_summary_md, run),
              HasSubstr("and 1 variants more that fail alike, all with quantizer.relu=drop"));
}

TEST(Attention, ExpectedFailuresAreALinePerReason) {
  RunRecord run;
  for (const char* isa : {"avx2", "avx512", "scalar"}) {
    const bool expected = std::string(isa) != "scalar";
    run.results.push_back(test::make_result("c", {{"runtime.isa", isa}}, expected ? Outcome::kXfail : Outcome::kPass));
    if (expected) {
      run.results.back().reason = "pairs clip";
      run.results.back().cause = "pair-saturation";
    }
  }
  EXPECT_THAT(rendered(render_console, run, ConsoleOptions{}),
              HasSubstr("XFAIL c: 2 variants, all with runtime.isa=avx2|avx512\n  pairs clip (pair-saturation)\n"));
  EXPECT_THAT(rendered(render_console, run, ConsoleOptions{}), HasSubstr("\n3 variants of 1 case in "));
}

TEST(Attention, TheCauseIsNamedWithTheWayToMore) {
  RunRecord run;
  run.results = {test::make_result("c", {{"x", 1}}, Outcome::kFail)};
  run.results[0].cause = "pair-saturation";
  EXPECT_THAT(rendered(render_console, run, ConsoleOptions{}),
              HasSubstr("  cause: pair-saturation (`assay explain pair-saturation`)\n"));
}

}  // namespace
}  // namespace assay::reports
