// SPDX-License-Identifier: Apache-2.0
#include "harness/run/variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/cause.h"
#include "harness/run/needs.h"
#include "harness/run/outcome.h"
#include "harness/run/settings.h"
#include "harness/run/trial.h"

namespace assay::run {
namespace {

std::vector<spec::Claim> claims_of(const spec::Case& test_case, const spec::Configuration& configuration) {
  std::vector<spec::Claim> claims;
  for (const spec::Expectation& expectation : test_case.expectations) {
    const auto* claim = std::get_if<spec::Claim>(&expectation.what);
    if (claim != nullptr && expectation.applies(configuration)) {
      claims.push_back(*claim);
    }
  }
  return claims;
}

}  // namespace

reports::VariantResult blank_result(const spec::Case& test_case, const spec::Variant& variant) {
  reports::VariantResult record;
  record.case_name = test_case.name;
  record.case_file = test_case.path;
  record.name = variant.name;
  for (const auto& [axis, value] : variant.matrix) {
    record.variant[axis] = value;
  }
  for (const auto& [axis, value] : spec::effective_values(variant.configuration)) {
    record.configuration[axis] = value;
  }
  return record;
}

namespace {

// Whether an external runtime fails as assay's own does where pairs saturate in int16, and assay does not fail with
// exact arithmetic: its outputs are then much nearer to the former's.
bool fails_as_saturating(Execution& execution, const spec::Configuration& configuration,
                         const api::NamedTensors& outputs) {
  const std::optional<OwnSiblings> own = own_siblings(execution, configuration);
  return own && !own->saturating.holds() && own->exact.holds() &&
         is_much_nearer(outputs, own->saturating.ran.outputs, own->exact.ran.outputs);
}

// Of the claims that expect the failure, the first whose cause a change confirms is what the record states. Where none
// is, a warning says what the first one with a cause meets.
void check_expected_causes(const Failing& failing, const std::vector<spec::Claim>& expected,
                           reports::VariantResult& record) {
  std::optional<std::string> warning;
  for (const spec::Claim& claim : expected) {
    if (claim.cause.empty()) {
      continue;
    }
    const CauseCheck check = check_cause(failing, claim.cause);
    if (check.is_confirmed) {
      record.reason = claim.reason;
      record.cause = claim.cause;
      return;
    }
    if (!warning && check.other) {
      warning = fmt::format("the expected failure states the cause {}, but {} ({})", claim.cause,
                            check.other->evidence(), check.other->name);
    } else if (!warning && check.is_refuted) {
      warning = fmt::format("the expected failure states the cause {}, which no run without it confirms", claim.cause);
    }
  }
  if (warning) {
    record.warnings.push_back(*warning);
  }
}

// Names the cause of a failure, or of an expected failure (`expected`) another one than it states.
void name_cause(Execution& execution, const spec::Configuration& configuration, const api::NamedTensors& outputs,
                const std::vector<spec::Claim>& expected, reports::VariantResult& record) {
  const Result<api::Model> model = execution.model();
  Failing failing{.configuration = configuration,
                  .model = model.ok() ? &model.value().graph() : nullptr,
                  .holds_under = [&](const spec::Configuration& other) {
                    const Result<Trial> trial = try_under(execution, configuration, other);
                    return trial.ok() && trial.value().holds();
                  }};
  if (execution.can_calibrate_on_inputs(configuration)) {
    failing.holds_calibrated_on_inputs = [&] {
      const Result<Trial> trial = try_calibrated_on_inputs(execution, configuration);
      return trial.ok() && trial.value().holds();
    };
  }
  if (is_external(configuration)) {
    failing.fails_as_saturating = [&] { return fails_as_saturating(execution, configuration, outputs); };
  }
  if (record.outcome == reports::Outcome::kXfail) {
    check_expected_causes(failing, expected, record);
  } else if (const std::optional<Cause> cause = find_cause(failing)) {
    record.cause = cause->name;
    record.reason += "; " + cause->evidence();
  }
}

// The layers in which most pairs saturated, worst first.
std::string worst_layers(const std::vector<reports::Saturation>& saturation) {
  constexpr std::size_t kNamed = 3;
  const auto share = [](const reports::Saturation& s) {
    return s.pairs == 0 ? 0 : static_cast<double>(s.saturated) / static_cast<double>(s.pairs);
  };
  std::vector<reports::Saturation> sorted = saturation;
  std::ranges::stable_sort(sorted, std::ranges::greater(), share);
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kNamed) && sorted[i].saturated > 0; ++i) {
    text += fmt::format("{}{} {:.2g} %", i == 0 ? "" : ", ", sorted[i].node, 100 * share(sorted[i]));
  }
  return text;
}

// Why a runtime that the variant needs is not on this machine, or nothing.
std::optional<std::string> missing_runtime(Execution& execution, const spec::Configuration& configuration) {
  for (const std::string& name : external_runtimes(execution.test_case(), configuration)) {
    const Result<RuntimeEntry> entry = execution.host().entry(name);
    if (const std::optional<std::string> missing = entry.ok() ? missing_part(entry.value()) : std::nullopt) {
      return missing;
    }
  }
  return std::nullopt;
}

// A skip, where the case says so of what this build does not have.
std::optional<std::string> skip_of(const spec::Case& test_case, const Error& error) {
  return test_case.skips_unsupported && error.kind == ErrorKind::kUnsupported ? std::optional(error.message)
                                                                              : std::nullopt;
}

}  // namespace

JudgedVariant judge_variant(Execution& execution, const spec::Variant& variant) {
  reports::VariantResult record = blank_result(execution.test_case(), variant);
  if (execution.test_case().skip_reason) {
    record.outcome = reports::Outcome::kSkip;
    record.reason = *execution.test_case().skip_reason;
    return {std::move(record), {}};
  }
  std::optional<std::string> reason;
  if (!execution.test_case().needs.empty()) {
    reason = missing_need(execution.test_case(), variant.configuration, execution.host(), this_host());
  }
  if (!reason) {
    reason = missing_runtime(execution, variant.configuration);
  }
  if (reason) {
    record.outcome = reports::Outcome::kSkip;
    record.reason = *reason;
    return {std::move(record), {}};
  }
  (void)execution.host().take_crash();  // of what no variant's outcome depends on
  Ran ran;
  Findings& findings = ran.findings;
  const auto note_error = [&](const Error& error, std::optional<std::string>& as) {
    (error.kind == ErrorKind::kResource ? findings.exhausted : as) = error.message;
    findings.skip = skip_of(execution.test_case(), error);
  };
  Result<Prepared> prepared = prepare(execution, variant.configuration);
  if (prepared.ok()) {
    const PreparedModel& model = *prepared.value().model;
    findings.warnings = model.warnings;
    for (const auto& [name, seed] : model.seeds) {
      record.seeds[name] = seed;
    }
    if (const api::Session* own = prepared.value().session->own(); own != nullptr) {
      for (const auto& [pass, rewrites] : own->applied_passes()) {
        record.passes.push_back(pass);
      }
    }
    const Status status = run_and_check(execution, variant.configuration, prepared.value(), record, ran);
    if (!status.ok()) {
      note_error(status.error(), findings.invalid);
    }
    prepared.value().session.reset();  // an adapter that dies of it, or has said too much, is this variant's crash
  } else {
    note_error(prepared.error(), findings.refusal);
  }
  if (const std::optional<std::string> crash = execution.host().take_crash()) {
    record.outcome = reports::Outcome::kCrash;
    record.reason = *crash;
    return {std::move(record), {}};
  }
  const spec::Case& test_case = execution.test_case();
  const Judgement judgement = judge(findings, claims_of(test_case, variant.configuration), test_case.weak_ok);
  record.outcome = judgement.outcome;
  record.reason = judgement.reason;
  record.cause = judgement.cause;
  record.checks = std::move(findings.checks);
  record.warnings = std::move(findings.warnings);
  if (const std::string layers = worst_layers(record.saturation); is_failure(record.outcome) && !layers.empty()) {
    record.warnings.push_back("int16 pair sums saturated in " + layers);
  }
  JudgedVariant judged{std::move(record), {}};
  const bool may_have_cause =
      judged.record.outcome == reports::Outcome::kFail ||
      std::ranges::any_of(judgement.expected, [](const spec::Claim& claim) { return !claim.cause.empty(); });
  if (may_have_cause && !all_hold(judged.record.checks)) {
    judged.find_cause = [&execution, configuration = variant.configuration, outputs = std::move(ran.outputs),
                         expected = judgement.expected](reports::VariantResult& failed) {
      name_cause(execution, configuration, outputs, expected, failed);
    };
  }
  return judged;
}

reports::VariantResult run_variant(Execution& execution, const spec::Variant& variant) {
  JudgedVariant judged = judge_variant(execution, variant);
  if (judged.find_cause) {
    judged.find_cause(judged.record);
  }
  return std::move(judged.record);
}

}  // namespace assay::run
