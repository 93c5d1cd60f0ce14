// SPDX-License-Identifier: Apache-2.0
#include "harness/run/checking.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/compare/metric.h"
#include "harness/run/graph_facts.h"

namespace assay::run {
namespace {

using compare::Metric;
using compare::MetricKind;

struct OutputPair {
  std::string name;
  const Tensor& actual;
  const Tensor* reference;
};

compare::MetricOptions metric_options(const spec::Check& check, const RunFacts& facts, const std::string& output) {
  compare::MetricOptions options;
  options.quantile = check.quantile;
  options.beyond_steps = check.beyond_steps;
  options.k = check.k;
  options.rtol = check.rtol;
  options.atol = check.atol;
  options.step = output_step(facts.quantized, output);
  options.side = check.side == "above"   ? compare::Side::kAbove
                 : check.side == "below" ? compare::Side::kBelow
                                         : compare::Side::kBoth;
  options.labels = facts.data.labels ? &*facts.data.labels : nullptr;
  return options;
}

reports::Json parameters_of(const spec::Check& check) {
  reports::Json parameters = reports::Json::object();
  if (check.metric == "quantile_abs_error") {
    parameters["quantile"] = check.quantile;
  } else if (check.metric == "mismatch_share") {
    parameters["beyond_steps"] = check.beyond_steps;
  } else if (check.metric == "topk_agreement") {
    parameters["k"] = check.k;
  } else if (check.metric == "tolerance_ratio") {
    parameters["rtol"] = check.rtol;
    parameters["atol"] = check.atol;
  } else if (check.metric == "node_count") {
    parameters["op"] = check.op;
    parameters["graph"] = check.graph;
  }
  if (!check.part.empty()) {
    parameters["part"] = check.part;
  }
  if (!check.side.empty()) {
    parameters["side"] = check.side;
  }
  if (check.confident) {
    parameters["confident"] = true;
  }
  return parameters;
}

reports::Measurement measurement_of(const std::string& metric, const std::string& output,
                                    const compare::MetricValue& value) {
  reports::Measurement measured;
  measured.metric = metric;
  measured.output = output;
  measured.value = value.value;
  if (value.interval) {
    measured.low = value.interval->low;
    measured.high = value.interval->high;
  }
  measured.n = value.n;
  return measured;
}

// The outputs that a check is about, in the order of the graph.
Result<std::vector<OutputPair>> outputs_of(const spec::Check& check, const RunFacts& facts, bool with_reference) {
  std::vector<OutputPair> pairs;
  std::string known;
  const LedgerPart* part = check.part.empty() ? nullptr : &facts.ledger->part(check.part);
  const api::NamedTensors& outputs = part == nullptr ? facts.outputs : *part->to;
  const api::NamedTensors* references = part == nullptr ? facts.reference : part->from;
  for (const ValueInfo& output : facts.quantized.outputs) {
    known += (known.empty() ? "" : ", ") + output.name;
    if (!check.output.empty() && check.output != output.name) {
      continue;
    }
    const auto actual = outputs.find(output.name);
    if (actual == outputs.end()) {
      return internal_error(fmt::format("the run gave no output '{}'", output.name));
    }
    const Tensor* reference = nullptr;
    if (with_reference) {
      const auto found = references->find(output.name);
      if (found == references->end()) {
        return invalid_argument(
            fmt::format("metric '{}': the reference has no output '{}'", check.metric, output.name));
      }
      reference = &found->second;
    }
    pairs.push_back({output.name, actual->second, reference});
  }
  if (pairs.empty()) {
    return invalid_argument(
        fmt::format("metric '{}': the model has no output '{}', only {}", check.metric, check.output, known));
  }
  return pairs;
}

Error known_of_own_runtime(const spec::Check& check) {
  return unsupported(
      fmt::format("metric '{}' looks inside the runtime, which runtime.name=assay alone allows; keep it "
                  "from external runtimes with \"when\": {{\"runtime.name\": \"assay\"}}",
                  check.metric));
}

Result<compare::MetricValue> run_fact(const spec::Check& check, const RunFacts& facts) {
  compare::MetricValue value;
  if (check.metric == "node_count") {
    const bool optimized = check.graph == "optimized";
    if (optimized && facts.session.own() == nullptr) {
      return known_of_own_runtime(check);
    }
    const Graph& graph = optimized ? facts.session.own()->optimized_graph() : facts.quantized;
    value.value = static_cast<double>(count_nodes(graph, check.op));
    value.n = static_cast<Index>(graph.nodes.size());
    return value;
  }
  if (check.metric == "saturated_pair_share") {
    std::uint64_t pairs = 0;
    std::uint64_t saturated = 0;
    for (const reports::Saturation& entry : facts.saturation) {
      pairs += entry.pairs;
      saturated += entry.saturated;
    }
    value.value = pairs == 0 ? 0 : static_cast<double>(saturated) / static_cast<double>(pairs);
    value.n = static_cast<Index>(pairs);
    value.detail = fmt::format("{} of {} pairs in {} nodes", saturated, pairs, facts.saturation.size());
    return value;
  }
  if (check.metric == "peak_bytes") {
    ASSAY_ASSIGN(const api::NamedTensors inputs, first_batch(facts.data.inputs, facts.plan));
    if (facts.session.own() == nullptr) {
      return known_of_own_runtime(check);
    }
    ASSAY_ASSIGN(const Index bytes, peak_bytes(*facts.session.own(), inputs));
    value.value = static_cast<double>(bytes);
    return value;
  }
  return internal_error(fmt::format("metric '{}' has no source in the run", check.metric));
}

reports::Check record_of(const spec::Check& check, const std::string& output, const compare::CheckResult& result) {
  reports::Check record{.measured = measurement_of(check.metric, output, result.measured),
                        .at_most = check.at_most,
                        .at_least = check.at_least,
                        .passed = result.passed,
                        .detail = result.measured.detail,
                        .parameters = parameters_of(check),
                        .worst = {},
                        .would_pass = {}};
  if (const auto& worst = result.measured.worst) {
    record.worst = reports::WorstElement{{worst->at.begin(), worst->at.end()}, worst->actual, worst->reference};
  }
  for (const auto& [key, value] : result.would_pass) {
    record.would_pass.emplace_back(key, value);
  }
  return record;
}

Status run_check(const spec::Check& check, const RunFacts& facts, Checked& checked) {
  const Metric* metric = compare::find_metric(check.metric);
  if (metric == nullptr) {
    return internal_error(fmt::format("metric '{}' is not in the table of metrics", check.metric));
  }
  const compare::Limits limits{check.at_most, check.at_least, check.confident};
  if (metric->kind == MetricKind::kRunFact) {
    ASSAY_ASSIGN(const compare::MetricValue value, run_fact(check, facts));
    checked.checks.push_back(
        record_of(check, "", {value, compare::within(value, limits), compare::would_pass_limits(value, limits)}));
    return {};
  }
  const bool paired = compare::is_paired(metric->kind);
  ASSAY_ASSIGN(const std::vector<OutputPair> pairs, outputs_of(check, facts, paired));
  for (const OutputPair& pair : pairs) {
    const Tensor& reference = paired ? *pair.reference : pair.actual;
    const compare::MetricInput input{pair.actual, reference, metric_options(check, facts, pair.name)};
    ASSAY_ASSIGN(const compare::CheckResult result, compare::evaluate(*metric, input, limits));
    const bool differs = check.part.empty() || facts.ledger->part(check.part).differs;
    checked.could_fail = checked.could_fail || (differs && compare::could_fail(pair.actual, reference));
    checked.checks.push_back(record_of(check, pair.name, result));
  }
  return {};
}

}  // namespace

bool needs_reference(const spec::Check& check) {
  const Metric* metric = compare::find_metric(check.metric);
  return metric != nullptr && compare::is_paired(metric->kind) && check.part.empty();
}

bool needs_ledger(const spec::Check& check) { return !check.part.empty(); }

bool needs_saturation(const spec::Check& check) { return check.metric == "saturated_pair_share"; }

Result<Checked> run_checks(const std::vector<spec::Check>& checks, const RunFacts& facts) {
  Checked checked;
  for (const spec::Check& check : checks) {
    ASSAY_TRY(run_check(check, facts, checked));
  }
  // Facts of the run can always fail, but they say nothing of the tensors that other checks compare.
  const bool facts_only = std::ranges::all_of(checks, [](const spec::Check& check) {
    const Metric* metric = compare::find_metric(check.metric);
    return metric != nullptr && metric->kind == MetricKind::kRunFact;
  });
  checked.could_fail = checked.could_fail || (facts_only && !checks.empty());
  return checked;
}

std::vector<reports::Measurement> measure_outputs(const RunFacts& facts) {
  std::vector<const char*> metrics = {"sqnr_db"};
  if (facts.data.dataset()) {
    metrics.insert(metrics.begin(), {"top1_accuracy", "top1_agreement"});
  } else {
    metrics.insert(metrics.end(), {"max_abs_error", "max_steps"});
  }
  std::vector<reports::Measurement> measurements;
  for (const char* name : metrics) {
    spec::Check check;
    check.metric = name;
    const Metric* metric = compare::find_metric(name);
    if (metric == nullptr || (compare::is_paired(metric->kind) && facts.reference == nullptr)) {
      continue;
    }
    // Each output by itself: one that the metric has no meaning for does not hide the others.
    for (const ValueInfo& output : facts.quantized.outputs) {
      check.output = output.name;
      Checked checked;
      if (run_check(check, facts, checked).ok()) {
        measurements.push_back(checked.checks.front().measured);
      }
    }
  }
  if (!facts.saturation.empty()) {
    spec::Check check;
    check.metric = "saturated_pair_share";
    if (const auto value = run_fact(check, facts); value.ok()) {
      measurements.push_back(measurement_of(check.metric, "", value.value()));
    }
  }
  return measurements;
}

}  // namespace assay::run
