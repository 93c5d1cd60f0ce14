// SPDX-License-Identifier: Apache-2.0
#include "reports/record.h"

#include <algorithm>

namespace assay::reports {

const std::vector<OutcomeRow>& outcome_rows() {
  static const std::vector<OutcomeRow> kRows = {
      {Outcome::kPass, "pass", false, "Every check holds."},
      {Outcome::kFail, "fail", true, "A check does not hold, or an expected refusal or warning did not come."},
      {Outcome::kWeak, "weak", false,
       "Every check holds, but none could have failed on this data: each compared tensor is one constant, or no check "
       "applied. \"weak_ok\" in the case says that this is meant."},
      {Outcome::kXfail, "xfail", false, "A check fails as the case declares, for the reason and cause it states."},
      {Outcome::kXpass, "xpass", true,
       "The case declares that a check fails, but every check holds: the declaration is out of date."},
      {Outcome::kSkip, "skip", false, "Not run, for the reason given."},
      {Outcome::kInvalid, "invalid", true,
       "The variant could not be judged: its model, data or configuration was refused and the case did not expect it."},
      {Outcome::kCrash, "crash", true, "The process that ran it died; the reason names the signal."},
      {Outcome::kTimeout, "timeout", true, "It did not end within --timeout and was killed."},
      {Outcome::kNotRun, "not-run", true, "The run ended before its turn came."},
      {Outcome::kInconclusive, "inconclusive", false,
       "The answer is right, but the speed could not be judged: too noisy, emulated, or no baseline."},
  };
  return kRows;
}

namespace {

const OutcomeRow& row_of(Outcome outcome) { return *std::ranges::find(outcome_rows(), outcome, &OutcomeRow::outcome); }

}  // namespace

std::string_view outcome_name(Outcome outcome) { return row_of(outcome).name; }

bool is_failure(Outcome outcome) { return row_of(outcome).failure; }

std::optional<Outcome> outcome_from_name(std::string_view name) {
  const auto row = std::ranges::find(outcome_rows(), name, &OutcomeRow::name);
  return row == outcome_rows().end() ? std::nullopt : std::optional(row->outcome);
}

std::string counts_text(const std::map<Outcome, std::int64_t>& counts) {
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(outcome_name(outcome));
  }
  return text.empty() ? "none" : text;
}

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace assay::reports
