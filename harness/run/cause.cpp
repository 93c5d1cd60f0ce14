// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cause.h"

#include <algorithm>
#include <array>

namespace assay::run {
namespace {

// A value of one axis that lacks one known source of error.
struct Counterfactual {
  const char* axis;
  const char* value;  // JSON, or a bare text
  const char* cause;
  bool is_fault;
  // Whether the cause is one of the configuration; null: of every one that the axis applies to.
  bool (*fits)(const spec::Configuration& configuration);
};

bool has_weights_of_four_bits(const spec::Configuration& configuration) {
  return configuration.text("quantizer.weight_type").ends_with("int4");
}

constexpr std::array kCounterfactuals = {
    Counterfactual{"runtime.precision", "exact", "pair-saturation", true, nullptr},
    Counterfactual{"quantizer.relu", "safe", "relu-dropped", true, nullptr},
    Counterfactual{"quantizer.per_channel", "true", "per-tensor-range", false, nullptr},
    Counterfactual{"quantizer.calibration", "minmax", "calibration-range", false, nullptr},
    Counterfactual{"quantizer.ranges", "{}", "calibration-range", false, nullptr},
    Counterfactual{"quantizer.weight_type", "int8", "rounding", false, has_weights_of_four_bits},
    Counterfactual{"quantizer.reduce_range", "false", "rounding", false, nullptr},
};

bool has_op(const Graph& graph, const char* op) {
  return std::ranges::find(graph.nodes, op, &Node::op_type) != graph.nodes.end();
}

// Both are clamps, and one axis keeps them.
std::string name_of(const Counterfactual& row, const Graph* model) {
  const bool relu = std::string_view(row.cause) == "relu-dropped";
  return relu && model != nullptr && has_op(*model, "Clip") && !has_op(*model, "Relu") ? "clip-dropped" : row.cause;
}

spec::Json value_of(const Counterfactual& row) {
  spec::Json value = spec::Json::parse(row.value, nullptr, false);
  return value.is_discarded() ? spec::Json(row.value) : value;
}

// A cause that may be the one.
struct Candidate {
  Cause cause;
  std::function<bool()> is_confirmed;
};

std::vector<Candidate> candidates_of(const Failing& failing) {
  std::vector<Candidate> candidates;
  if (failing.fails_as_saturating) {
    candidates.push_back({{"pair-saturation", ""}, failing.fails_as_saturating});
  }
  for (Change& change : changes_of(failing.configuration, failing.model)) {
    candidates.push_back({change.cause, [&failing, configuration = std::move(change.configuration)] {
                            return failing.holds_under(configuration);
                          }});
  }
  if (failing.holds_calibrated_on_inputs) {
    candidates.push_back({{"calibration-range", kInputsAsCalibration}, failing.holds_calibrated_on_inputs});
  }
  return candidates;
}

// A dropped Clip may be declared as a dropped Relu: one axis keeps both.
bool is_declared(const Cause& cause, const std::string& declared) {
  return cause.name == declared || (cause.name == "clip-dropped" && declared == "relu-dropped");
}

}  // namespace

std::string Cause::evidence() const {
  return change.empty() ? "the same failure as runtime.name=assay has with runtime.isa=avx2 and not with "
                          "runtime.precision=exact: pair-saturation is likely"
                        : "every check holds with " + change;
}

std::vector<Change> changes_of(const spec::Configuration& configuration, const Graph* model) {
  std::vector<Change> changes;
  for (const Counterfactual& row : kCounterfactuals) {
    Change change{.cause = {name_of(row, model), std::string(row.axis) + "=" + row.value},
                  .axis = row.axis,
                  .configuration = configuration,
                  .is_fault = row.is_fault};
    change.configuration.set(row.axis, value_of(row));
    if (spec::find_axis(row.axis)->applies(configuration) &&
        change.configuration.get(row.axis) != configuration.get(row.axis) &&
        (row.fits == nullptr || row.fits(configuration))) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::optional<Cause> find_cause(const Failing& failing) { return check_cause(failing, "").other; }

CauseCheck check_cause(const Failing& failing, const std::string& declared) {
  const std::vector<Candidate> candidates = candidates_of(failing);
  // The declared one first: where it holds, nothing else need be tried.
  for (const Candidate& candidate : candidates) {
    if (is_declared(candidate.cause, declared) && candidate.is_confirmed()) {
      return {.is_confirmed = true};
    }
  }
  CauseCheck check{.is_refuted = std::ranges::any_of(kCounterfactuals, [&](const Counterfactual& row) {
                     return row.is_fault && is_declared({name_of(row, failing.model), ""}, declared);
                   })};
  for (const Candidate& candidate : candidates) {
    if (!is_declared(candidate.cause, declared) && candidate.is_confirmed()) {
      check.other = candidate.cause;
      break;
    }
  }
  return check;
}

}  // namespace assay::run
