// SPDX-License-Identifier: Apache-2.0
#include "reports/exit_code.h"

#include <gtest/gtest.h>

#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

struct Situation {
  const char* what;
  std::vector<Outcome> outcomes;
  bool interrupted;
  const char* harness_error;
  int expected;
};

TEST(ExitCode, FollowsTheTable) {
  using enum Outcome;
  const std::vector<Situation> situations = {
      {"nothing selected", {}, false, "", 5},
      {"pass", {kPass}, false, "", 0},
      {"weak is shown, not failed", {kPass, kWeak}, false, "", 0},
      {"xfail", {kXfail}, false, "", 0},
      {"skip beside pass", {kSkip, kPass}, false, "", 0},
      {"nothing but skips", {kSkip, kSkip}, false, "", 3},
      {"inconclusive", {kPass, kInconclusive}, false, "", 3},
      {"fail", {kPass, kFail}, false, "", 1},
      {"xpass", {kPass, kXpass}, false, "", 1},
      {"invalid", {kPass, kInvalid}, false, "", 1},
      {"crash", {kPass, kCrash}, false, "", 1},
      {"timeout", {kPass, kTimeout}, false, "", 1},
      {"not-run", {kPass, kNotRun}, false, "", 1},
      {"fail before inconclusive", {kInconclusive, kFail}, false, "", 1},
      {"harness before fail", {kFail}, false, "disk full", 4},
      {"harness before nothing", {}, false, "no folder", 4},
      {"interrupted before all", {kFail}, true, "disk full", 130},
      {"interrupted before nothing", {}, true, "", 130},
  };
  for (const Situation& situation : situations) {
    RunRecord run;
    run.interrupted = situation.interrupted;
    run.harness_error = situation.harness_error;
    for (const Outcome outcome : situation.outcomes) {
      run.results.push_back(test::make_result("c", Json::object(), outcome));
    }
    EXPECT_EQ(static_cast<int>(exit_code(run)), situation.expected) << situation.what;
  }
}

TEST(ExitCode, VerdictSaysTheSame) {
  const RunRecord run = test::every_outcome();
  const Json verdict = Json::parse(report_text(start_verdict_json, run));
  EXPECT_EQ(verdict.at("exit_code"), 1);
  EXPECT_EQ(verdict.at("counts").at("fail"), 2);
  EXPECT_EQ(verdict.at("counts").at("not-run"), 1);
  EXPECT_FALSE(verdict.contains("harness_error"));
}

}  // namespace
}  // namespace assay::reports
