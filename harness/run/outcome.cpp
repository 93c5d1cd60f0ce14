// SPDX-License-Identifier: Apache-2.0
#include "harness/run/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace assay::run {
namespace {

using reports::Outcome;
using spec::Claim;
using spec::ClaimKind;

std::vector<const Claim*> of_kind(const std::vector<Claim>& claims, ClaimKind kind) {
  std::vector<const Claim*> found;
  for (const Claim& claim : claims) {
    if (claim.kind == kind) {
      found.push_back(&claim);
    }
  }
  return found;
}

Judgement judge_refusal(const std::optional<std::string>& refusal, const std::vector<const Claim*>& refused) {
  for (const Claim* claim : refused) {
    if (!refusal) {
      return {Outcome::kFail, fmt::format("expected a refusal that contains '{}', but it was accepted", claim->message),
              ""};
    }
    if (refusal->find(claim->message) == std::string::npos) {
      return {Outcome::kFail,
              fmt::format("expected a refusal that contains '{}', but it says: {}", claim->message, *refusal), ""};
    }
  }
  return {Outcome::kPass, "refused as expected: " + *refusal, ""};
}

const Claim* missing_warning(const std::vector<std::string>& warnings, const std::vector<const Claim*>& warned) {
  for (const Claim* claim : warned) {
    const auto contains = [&](const std::string& text) { return text.find(claim->message) != std::string::npos; };
    if (std::ranges::none_of(warnings, contains)) {
      return claim;
    }
  }
  return nullptr;
}

std::string failed_text(const std::vector<reports::Check>& checks) {
  const auto failed = std::ranges::count_if(checks, [](const reports::Check& check) { return !check.passed; });
  return fmt::format("{} of {} checks failed", failed, checks.size());
}

}  // namespace

Judgement judge(const Findings& findings, const std::vector<Claim>& claims, const std::optional<std::string>& weak_ok) {
  const std::vector<const Claim*> refused = of_kind(claims, ClaimKind::kRefused);
  if (findings.exhausted) {
    return {Outcome::kCrash, "out of memory: " + *findings.exhausted, ""};
  }
  if (findings.skip) {
    return {Outcome::kSkip, *findings.skip, ""};
  }
  if (findings.invalid) {
    return {Outcome::kInvalid, *findings.invalid, ""};
  }
  if (!refused.empty()) {
    return judge_refusal(findings.refusal, refused);
  }
  if (findings.refusal) {
    return {Outcome::kInvalid, *findings.refusal, ""};
  }
  const bool failed = std::ranges::any_of(findings.checks, [](const reports::Check& check) { return !check.passed; });
  const std::vector<const Claim*> warned = of_kind(claims, ClaimKind::kWarned);
  if (const Claim* missing = missing_warning(findings.warnings, warned)) {
    return {Outcome::kFail,
            fmt::format("expected a warning that contains '{}', got {} others{}", missing->message,
                        findings.warnings.size(), failed ? "; " + failed_text(findings.checks) : ""),
            ""};
  }
  const std::vector<const Claim*> xfail = of_kind(claims, ClaimKind::kXfail);
  if (!xfail.empty()) {
    const Claim& claim = *xfail.front();
    if (failed) {
      Judgement judgement{Outcome::kXfail, claim.reason, claim.cause};
      std::ranges::transform(xfail, std::back_inserter(judgement.expected), [](const Claim* each) { return *each; });
      return judgement;
    }
    return {Outcome::kXpass, fmt::format("expected to fail ({}), but every check holds", claim.reason), claim.cause};
  }
  if (failed) {
    return {Outcome::kFail, failed_text(findings.checks), ""};
  }
  if (findings.could_fail || (findings.checks.empty() && !warned.empty())) {
    return {Outcome::kPass, "", ""};
  }
  if (weak_ok) {
    return {Outcome::kPass, "no check could have failed on these data, which is meant: " + *weak_ok, ""};
  }
  return {Outcome::kWeak,
          findings.checks.empty()
              ? "no check applies to this variant"
              : "no check could have failed on these data: each compared tensor is one constant or has no elements",
          ""};
}

}  // namespace assay::run
