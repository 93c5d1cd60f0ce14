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
};
constexpr std::array kCounterfactuals = {
    Counterfactual{"runtime.precision", "exact", "pair-saturation"},
    Counterfactual{"quantizer.relu", "safe", "relu-dropped"},
    Counterfactual{"quantizer.per_channel", "true", "per-tensor-range"},
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

bool explains(const Counterfactual& row, const Failing& failing) {
  spec::Configuration other = failing.configuration;
  other.set(row.axis, value_of(row));
  return spec::find_axis(row.axis)->applies(failing.configuration) &&
         other.get(row.axis) != failing.configuration.get(row.axis) && failing.holds_under(other);
}

}  // namespace

std::optional<Cause> find_cause(const Failing& failing) { return find_other_cause(failing, ""); }

std::optional<Cause> find_other_cause(const Failing& failing, const std::string& declared) {
  const auto is_declared = [&](const Counterfactual& row) {
    return row.cause == declared || name_of(row, failing.model) == declared;
  };
  // The declared one first: where it holds, nothing else need be tried.
  const auto own = std::ranges::find_if(kCounterfactuals, is_declared);
  if (own != kCounterfactuals.end() && explains(*own, failing)) {
    return std::nullopt;
  }
  for (const Counterfactual& row : kCounterfactuals) {
    if (!is_declared(row) && explains(row, failing)) {
      return Cause{name_of(row, failing.model), std::string(row.axis) + "=" + row.value};
    }
  }
  return std::nullopt;
}

}  // namespace assay::run
