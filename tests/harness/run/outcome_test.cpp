// SPDX-License-Identifier: Apache-2.0
#include "harness/run/outcome.h"

#include <gtest/gtest.h>

namespace assay::run {
namespace {

using reports::Outcome;
using spec::Claim;
using spec::ClaimKind;

reports::Check check(bool passed) {
  reports::Check made;
  made.measured.metric = "max_abs_error";
  made.passed = passed;
  return made;
}

Claim xfail() { return {.kind = ClaimKind::kXfail, .reason = "known", .cause = "relu-dropped", .message = ""}; }
Claim refused(const char* text) { return {.kind = ClaimKind::kRefused, .reason = "", .cause = "", .message = text}; }
Claim warned(const char* text) { return {.kind = ClaimKind::kWarned, .reason = "", .cause = "", .message = text}; }

struct Situation {
  const char* what;
  Findings findings;
  std::vector<Claim> claims;
  bool weak_ok;
  Outcome expected;
};

TEST(Outcome, FollowsTheTable) {
  const Findings good{.refusal = {}, .invalid = {}, .warnings = {}, .checks = {check(true)}, .could_fail = true};
  const Findings bad{
      .refusal = {}, .invalid = {}, .warnings = {}, .checks = {check(true), check(false)}, .could_fail = true};
  const Findings blind{.refusal = {}, .invalid = {}, .warnings = {}, .checks = {check(true)}, .could_fail = false};
  const Findings bare{};
  const Findings no{.refusal = "no kernel for X", .invalid = {}, .warnings = {}, .checks = {}, .could_fail = false};
  const Findings broken{.refusal = {}, .invalid = "NaN in x", .warnings = {}, .checks = {}, .could_fail = false};
  Findings starved = no;
  starved.exhausted = "4096 bytes were refused";
  Findings loud = good;
  loud.warnings = {"Relu 'r' is lost"};
  Findings loud_bad = bad;
  loud_bad.warnings = loud.warnings;
  Findings loud_bare = bare;
  loud_bare.warnings = loud.warnings;
  Findings loud_blind = blind;
  loud_blind.warnings = loud.warnings;

  const std::vector<Situation> situations = {
      {"every check holds", good, {}, false, Outcome::kPass},
      {"one check fails", bad, {}, false, Outcome::kFail},
      {"a failed check is no weakness", bad, {}, true, Outcome::kFail},
      {"nothing could fail", blind, {}, false, Outcome::kWeak},
      {"nothing could fail, as meant", blind, {}, true, Outcome::kPass},
      {"no check at all", bare, {}, false, Outcome::kWeak},
      {"expected failure", bad, {xfail()}, false, Outcome::kXfail},
      {"unexpected pass", good, {xfail()}, false, Outcome::kXpass},
      {"unexpected pass without checks", bare, {xfail()}, false, Outcome::kXpass},
      {"refused unasked", no, {}, false, Outcome::kInvalid},
      {"refusal is no expected failure", no, {xfail()}, false, Outcome::kInvalid},
      {"refused as claimed", no, {refused("kernel for X")}, false, Outcome::kPass},
      {"refused for another reason", no, {refused("out of range")}, false, Outcome::kFail},
      {"not refused", good, {refused("kernel")}, false, Outcome::kFail},
      {"both refusals claimed", no, {refused("kernel"), refused("for X")}, false, Outcome::kPass},
      {"one of the refusals missing", no, {refused("kernel"), refused("Y")}, false, Outcome::kFail},
      {"want of memory", starved, {}, false, Outcome::kCrash},
      {"want of memory is no refusal", starved, {refused("kernel for X")}, false, Outcome::kCrash},
      {"bad data", broken, {}, false, Outcome::kInvalid},
      {"bad data is no expected failure", broken, {xfail()}, false, Outcome::kInvalid},
      {"bad data is no refusal", broken, {refused("NaN")}, false, Outcome::kInvalid},
      {"warned as claimed", loud, {warned("Relu 'r'")}, false, Outcome::kPass},
      {"warning missing", good, {warned("Relu 'r'")}, false, Outcome::kFail},
      {"warning missing beside an expected failure", bad, {xfail(), warned("Relu")}, false, Outcome::kFail},
      {"warning and expected failure", loud_bad, {xfail(), warned("Relu")}, false, Outcome::kXfail},
      {"a claimed warning alone is a check", loud_bare, {warned("Relu")}, false, Outcome::kPass},
      {"a claimed warning does not make weak checks strong", loud_blind, {warned("Relu")}, false, Outcome::kWeak},
  };
  for (const Situation& situation : situations) {
    const std::optional<std::string> weak_ok = situation.weak_ok ? std::optional<std::string>("meant") : std::nullopt;
    const Judgement judgement = judge(situation.findings, situation.claims, weak_ok);
    EXPECT_EQ(reports::outcome_name(judgement.outcome), reports::outcome_name(situation.expected)) << situation.what;
    if (judgement.outcome != Outcome::kPass) {
      EXPECT_NE(judgement.reason, "") << situation.what;
    }
  }
}

TEST(Outcome, XfailCarriesItsReasonAndCause) {
  const Findings bad{.refusal = {}, .invalid = {}, .warnings = {}, .checks = {check(false)}, .could_fail = true};
  const Judgement judgement = judge(bad, {xfail()}, std::nullopt);
  EXPECT_EQ(judgement.reason, "known");
  EXPECT_EQ(judgement.cause, "relu-dropped");
}

TEST(Outcome, AMissingWarningHidesNoFailedCheck) {
  const Findings bad{.refusal = {}, .invalid = {}, .warnings = {}, .checks = {check(true), check(false)}};
  EXPECT_EQ(judge(bad, {warned("lost")}, {}).reason,
            "expected a warning that contains 'lost', got 0 others; 1 of 2 checks failed");
}

TEST(Outcome, EveryClaimThatExpectsTheFailureIsKept) {
  const Findings bad{.refusal = {}, .invalid = {}, .warnings = {}, .checks = {check(false)}};
  Claim second = xfail();
  second.cause = "pair-saturation";
  const Judgement judgement = judge(bad, {xfail(), second}, {});
  EXPECT_EQ(judgement.cause, "relu-dropped");
  ASSERT_EQ(judgement.expected.size(), 2U);
  EXPECT_EQ(judgement.expected[1].cause, "pair-saturation");
}

}  // namespace
}  // namespace assay::run
