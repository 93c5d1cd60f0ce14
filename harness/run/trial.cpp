// SPDX-License-Identifier: Apache-2.0
#include "harness/run/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/compare/difference.h"
#include "harness/run/checking.h"
#include "harness/run/graph_facts.h"
#include "harness/run/saturation_record.h"
#include "harness/run/settings.h"

namespace assay::run {
namespace {

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

bool any_sat16(const std::vector<api::KernelInfo>& kernels) {
  return std::ranges::any_of(kernels, [](const api::KernelInfo& k) { return k.arithmetic == "sat16-pairs"; });
}

Result<std::vector<reports::Saturation>> witness(RuntimeSession& session, const CaseData& data, const FeedPlan& plan) {
  api::RunOptions options;
  options.witness_saturation = true;
  ASSAY_ASSIGN(const api::RunResult result, feed(session, data.inputs, plan, options, kWitnessSamples));
  const Index fed = samples_fed(data.inputs, plan);
  std::vector<reports::Saturation> saturation;
  for (const api::SaturationInfo& entry : result.saturation) {
    saturation.push_back(saturation_record(entry, plan.samples == 0 ? fed : std::min(fed, kWitnessSamples)));
  }
  return saturation;
}

Result<Trial> try_with(Execution& execution, const spec::Configuration& configuration,
                       const Result<Prepared>& prepared) {
  if (!prepared.ok()) {
    return prepared.error();
  }
  Trial trial;
  ASSAY_TRY(run_and_check(execution, configuration, prepared.value(), trial.record, trial.ran));
  return trial;
}

// Of squared distances: a tenth of the distance.
constexpr double kMuchNearer = 0.01;

// The sum of squared differences between what two runs gave; infinite where they cannot be compared.
double squared_distance(const api::NamedTensors& a, const api::NamedTensors& b) {
  double sum = 0;
  for (const auto& [name, tensor] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.dtype() != tensor.dtype() || other->second.shape() != tensor.shape()) {
      return std::numeric_limits<double>::infinity();
    }
    for (const double difference : compare::differences(tensor, other->second)) {
      sum += difference * difference;
    }
  }
  return sum;
}

}  // namespace

Result<Prepared> prepare(Execution& execution, const spec::Configuration& configuration) {
  Prepared prepared;
  ASSAY_ASSIGN(prepared.model, execution.prepared(configuration));
  ASSAY_ASSIGN(prepared.session, open_session(prepared.model->model, configuration, execution.host()));
  return prepared;
}

Status run_and_check(Execution& execution, const spec::Configuration& configuration, const Prepared& prepared,
                     reports::VariantResult& record, Ran& ran) {
  const Graph& graph = prepared.model->model.graph();
  const std::optional<Index> batch = batch_size(configuration);
  ASSAY_ASSIGN(const CaseData* data, execution.data(batch.has_value()));
  for (const auto& [name, seed] : data->seeds) {
    record.seeds[name] = seed;
  }
  ASSAY_TRY(refuse_nan(graph, data->inputs));
  ASSAY_ASSIGN(const FeedPlan plan, plan_feed(graph, data->inputs, batch, data->dataset()));
  ASSAY_ASSIGN(api::RunResult result, feed(*prepared.session, data->inputs, plan));
  ran.findings.warnings.insert(ran.findings.warnings.end(), result.warnings.begin(), result.warnings.end());
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
  ran.findings.checks = std::move(checked.checks);
  ran.findings.could_fail = checked.could_fail;
  record.measurements = measure_outputs(facts);
  ran.outputs = std::move(result.outputs);
  return {};
}

bool all_hold(const std::vector<reports::Check>& checks) {
  return std::ranges::all_of(checks, &reports::Check::passed);
}

bool saturates(const reports::VariantResult& record) {
  return std::ranges::any_of(record.kernels,
                             [](const reports::Kernel& kernel) { return kernel.arithmetic == "sat16-pairs"; });
}

Result<Trial> try_under(Execution& execution, const spec::Configuration& configuration,
                        const spec::Configuration& other) {
  return try_with(execution, configuration, prepare(execution, other));
}

Result<Trial> try_calibrated_on_inputs(Execution& execution, const spec::Configuration& configuration) {
  Prepared prepared;
  ASSAY_ASSIGN(prepared.model, execution.prepared_on_inputs(configuration));
  ASSAY_ASSIGN(prepared.session, open_session(prepared.model->model, configuration, execution.host()));
  return try_with(execution, configuration, prepared);
}

std::optional<OwnSiblings> own_siblings(Execution& execution, const spec::Configuration& configuration) {
  spec::Configuration own = configuration;
  own.set("runtime.name", "assay");
  own.reset("runtime.options");
  own.set("runtime.isa", "avx2");
  own.set("runtime.precision", "fast");
  Result<Trial> saturating = try_under(execution, configuration, own);
  if (!saturating.ok() || !saturates(saturating.value().record)) {
    return std::nullopt;
  }
  own.set("runtime.precision", "exact");
  Result<Trial> exact = try_under(execution, configuration, own);
  return exact.ok() ? std::optional(OwnSiblings{std::move(saturating).value(), std::move(exact).value()})
                    : std::nullopt;
}

bool is_much_nearer(const api::NamedTensors& outputs, const api::NamedTensors& a, const api::NamedTensors& b) {
  return squared_distance(outputs, a) < kMuchNearer * squared_distance(outputs, b);
}

}  // namespace assay::run
