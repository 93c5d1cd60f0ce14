// SPDX-License-Identifier: Apache-2.0
// From what happened to a variant to its outcome: the one place that decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/spec/case.h"
#include "reports/record.h"

namespace assay::run {

// What executing a variant brought to light.
struct Findings {
  // Quantizing, loading or planning was refused: the message.
  std::optional<std::string> refusal;
  // It could not be judged for another reason: bad data, an error while running, a check without meaning.
  std::optional<std::string> invalid;
  // Memory was refused: the message. Whether the variant is right is not known.
  std::optional<std::string> exhausted;
  // There is nothing to run, or nothing that this build has: why.
  std::optional<std::string> skip;
  std::vector<std::string> warnings;
  std::vector<reports::Check> checks;
  // Whether a check could have failed on these data.
  bool could_fail = false;
};

struct Judgement {
  reports::Outcome outcome = reports::Outcome::kInvalid;
  std::string reason;
  std::string cause;
  // Of an expected failure: the claims that expect it. The first one's words are above; another one's cause may prove
  // to be the true one.
  std::vector<spec::Claim> expected = {};
};

// `claims`: those that apply to the variant.
//   refused: only a refusal whose message contains every claimed text passes; another refusal, or none, fails.
//   A refusal or other hindrance that no claim covers is invalid; xfail does not excuse it.
//   warned: a warning must contain the text, else fail; xfail does not excuse that either.
//   xfail: at least one check fails, else xpass.
//   A pass is weak where no check could have failed, unless the case says that it is meant (weak_ok).
Judgement judge(const Findings& findings, const std::vector<spec::Claim>& claims,
                const std::optional<std::string>& weak_ok);

}  // namespace assay::run
