// SPDX-License-Identifier: Apache-2.0
#include "harness/run/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/run/cause.h"
#include "harness/run/checking.h"
#include "harness/run/graph_facts.h"
#include "harness/run/needs.h"
#include "harness/run/outcome.h"
#include "harness/run/saturation_record.h"
#include "harness/run/settings.h"

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

std::vector<spec::Check> checks_of(const spec::Case& test_case, const spec::Configuration& configuration) {
  std::vector<spec::Check> checks;
  for (const spec::Expectation& expectation : test_case.expectations) {
    const auto* check = std::get_if<spec::Check>(&expectation.what);
    if (check != nullptr && expectation.applies(configuration)) {
      checks.push_back(*check);
    }
  }
  return checks;
}

// NaN cannot be quantized; in float models it is data like any other.
Status refuse_nan(const Graph& graph, const api::NamedTensors& inputs) {
  if (!has_quantizing_nodes(graph)) {
    return {};
  }
  for (const auto& [name, tensor] : inputs) {
    if (tensor.dtype() != DType::kFloat32) {
      continue;
    }
    const auto values = tensor.data<float>();
    const auto nan = std::ranges::find_if(values, [](float value) { return std::isnan(value); });
    if (nan != values.end()) {
      return invalid_argument(
          fmt::format("input '{}' holds NaN at element {}, which cannot be quantized", name, nan - values.begin()));
    }
  }
  return {};
}

bool all_hold(const std::vector<reports::Check>& checks) {
  return std::ranges::all_of(checks, &reports::Check::passed);
}

bool any_sat16(const std::vector<api::KernelInfo>& kernels) {
  return std::ranges::any_of(kernels, [](const api::KernelInfo& k) { return k.arithmetic == "sat16-pairs"; });
}

Result<std::vector<reports::Saturation>> witness(RuntimeSession& session, const CaseData& data, const FeedPlan& plan) {
  api::RunOptions options;
  options.witness_saturation = true;
  ASSAY_ASSIGN(const api::RunResult result, feed(session, data.inputs, plan, options, kWitnessSamples));
  std::vector<reports::Saturation> saturation;
  for (const api::SaturationInfo& entry : result.saturation) {
    saturation.push_back(saturation_record(entry, plan.samples == 0 ? 1 : std::min(plan.samples, kWitnessSamples)));
  }
  return saturation;
}

// Everything up to a session: what a `refused` expectation is about.
struct Prepared {
  std::shared_ptr<const PreparedModel> model;
  std::shared_ptr<RuntimeSession> session;
};

Result<Prepared> prepare(Execution& execution, const spec::Configuration& configuration) {
  Prepared prepared;
  ASSAY_ASSIGN(prepared.model, execution.prepared(configuration));
  ASSAY_ASSIGN(prepared.session, open_session(prepared.model->model, configuration, execution.host()));
  return prepared;
}

Status run_and_check(Execution& execution, const spec::Configuration& configuration, const Prepared& prepared,
                     reports::VariantResult& record, Findings& findings) {
  const Graph& graph = prepared.model->model.graph();
  const std::optional<Index> batch = batch_size(configuration);
  ASSAY_ASSIGN(const CaseData* data, execution.data(batch.has_value()));
  for (const auto& [name, seed] : data->seeds) {
    record.seeds[name] = seed;
  }
  ASSAY_TRY(refuse_nan(graph, data->inputs));
  ASSAY_ASSIGN(const FeedPlan plan, plan_feed(graph, data->inputs, batch, data->dataset()));
  ASSAY_ASSIGN(const api::RunResult result, feed(*prepared.session, data->inputs, plan));
  for (const api::KernelInfo& k : prepared.session->kernels()) {
    record.kernels.push_back({k.node, k.op, k.kernel, k.isa, k.arithmetic, k.native});
  }
  const std::vector<spec::Check> checks = checks_of(execution.test_case(), configuration);
  RunFacts facts{.quantized = graph,
                 .session = *prepared.session,
                 .data = *data,
                 .plan = plan,
                 .outputs = result.outputs,
                 .reference = nullptr,
                 .saturation = {},
                 .ledger = nullptr};
  if (std::ranges::any_of(checks, needs_saturation) || (data->dataset() && any_sat16(prepared.session->kernels()))) {
    ASSAY_ASSIGN(facts.saturation, witness(*prepared.session, *data, plan));
    record.saturation = facts.saturation;
  }
  // Measurements want a reference too, but only checks insist on it.
  Result<api::NamedTensors> reference = execution.reference(configuration, result.outputs);
  if (reference.ok()) {
    facts.reference = &reference.value();
  } else if (std::ranges::any_of(checks, needs_reference)) {
    return reference.error();
  }
  std::optional<Ledger> ledger;
  if (execution.test_case().ledger || std::ranges::any_of(checks, needs_ledger)) {
    ASSAY_ASSIGN(ledger, Ledger::make(execution, configuration, result.outputs));
    facts.ledger = &*ledger;
    record.ledger = ledger->record(graph);
  }
  ASSAY_ASSIGN(Checked checked, run_checks(checks, facts));
  if (facts.saturation.empty() && !all_hold(checked.checks) && any_sat16(prepared.session->kernels())) {
    ASSAY_ASSIGN(record.saturation, witness(*prepared.session, *data, plan));
  }
  findings.checks = std::move(checked.checks);
  findings.could_fail = checked.could_fail;
  record.measurements = measure_outputs(facts);
  return {};
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

bool holds_under(Execution& execution, const spec::Configuration& configuration, const spec::Configuration& other) {
  const Result<Prepared> prepared = prepare(execution, other);
  reports::VariantResult record;
  Findings findings;
  return prepared.ok() && run_and_check(execution, configuration, prepared.value(), record, findings).ok() &&
         all_hold(findings.checks);
}

// Names the cause of a failure, or of an expected failure another one than it states.
void name_cause(Execution& execution, const spec::Configuration& configuration, reports::VariantResult& record) {
  const Result<api::Model> model = execution.model();
  const Failing failing{
      .configuration = configuration,
      .model = model.ok() ? &model.value().graph() : nullptr,
      .holds_under = [&](const spec::Configuration& other) { return holds_under(execution, configuration, other); }};
  if (record.outcome == reports::Outcome::kXfail) {
    if (const std::optional<Cause> other = find_other_cause(failing, record.cause)) {
      record.warnings.push_back(
          fmt::format("the expected failure states the cause {}, but every check holds with {} ({})", record.cause,
                      other->change, other->name));
    }
  } else if (const std::optional<Cause> cause = find_cause(failing)) {
    record.cause = cause->name;
    record.reason += "; every check holds with " + cause->change;
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

reports::VariantResult run_variant(Execution& execution, const spec::Variant& variant) {
  reports::VariantResult record = blank_result(execution.test_case(), variant);
  if (execution.test_case().skip_reason) {
    record.outcome = reports::Outcome::kSkip;
    record.reason = *execution.test_case().skip_reason;
    return record;
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
    return record;
  }
  (void)execution.host().take_crash();  // of what no variant's outcome depends on
  Findings findings;
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
    const Status status = run_and_check(execution, variant.configuration, prepared.value(), record, findings);
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
    return record;
  }
  const spec::Case& test_case = execution.test_case();
  const Judgement judgement = judge(findings, claims_of(test_case, variant.configuration), test_case.weak_ok);
  record.outcome = judgement.outcome;
  record.reason = judgement.reason;
  record.cause = judgement.cause;
  record.checks = std::move(findings.checks);
  record.warnings = std::move(findings.warnings);
  const bool may_have_cause = record.outcome == reports::Outcome::kFail ||
                              (record.outcome == reports::Outcome::kXfail && !record.cause.empty());
  if (may_have_cause && !all_hold(record.checks)) {
    name_cause(execution, variant.configuration, record);
  }
  if (const std::string layers = worst_layers(record.saturation); is_failure(record.outcome) && !layers.empty()) {
    record.warnings.push_back("int16 pair sums saturated in " + layers);
  }
  return record;
}

}  // namespace assay::run
