// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/plan.h"

#include <algorithm>
#include <set>

#include "engine/quantizer/clamp_policy.h"
#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/nearest_name.h"
#include "engine/quantizer/operators.h"
#include "engine/quantizer/overrides.h"
#include "engine/quantizer/selection.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

ValueRange data_range(const Tensor& tensor) {
  const auto values = tensor.data<float>();
  if (values.empty()) {
    return {};
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {.min = *low, .max = *high};
}

class Planner {
 public:
  Planner(const Graph& graph, const RangeTable& ranges, const Options& options)
      : graph_(graph), ranges_(ranges), options_(options) {}

  Result<Plan> run() {
    mark_compute_nodes();
    mark_followers();
    chains_ = clamp_chains(graph_, plan_.nodes, options_.relu);
    for (const ClampChain& chain : chains_) {
      absorb(chain);
    }
    for (const ValueInfo& input : graph_.inputs) {
      ASSAY_TRY(choose_own(input.name));
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      ASSAY_TRY(choose_outputs(i));
    }
    for (const auto& [name, tensor] : graph_.initializers) {
      ASSAY_TRY(choose_own(name));
    }
    for (const ClampChain& chain : chains_) {
      settle_chain(graph_, chain, options_.relu, ranges_, plan_);
    }
    return std::move(plan_);
  }

 private:
  // Conv, Add, ...: quantized if asked for and possible. Everything else gets its reason here.
  void mark_compute_nodes() {
    const ValueTypes types = value_types(graph_);
    for (const Node& node : graph_.nodes) {
      NodePlan& plan = plan_.nodes.emplace_back();
      plan.reason = deselection_reason(node, options_);
      if (plan.reason.empty()) {
        plan.reason = ineligibility_reason(graph_, node, types, options_);
      }
      const OperatorRow* row = find_operator(node.domain, node.op_type);
      if (!plan.reason.empty() || row->role == Role::kShared || row->role == Role::kClamp) {
        continue;
      }
      plan.treatment = Treatment::kQuantized;
      for (const std::size_t i : activation_inputs(graph_, node, *row)) {
        marked_.insert(node.input(i));
      }
      marked_.insert(node.outputs[0]);
    }
  }

  // MaxPool, Reshape, Relu, ...: quantized behind a quantized value.
  void mark_followers() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      NodePlan& plan = plan_.nodes[i];
      if (plan.treatment == Treatment::kQuantized || !plan.reason.empty()) {
        continue;
      }
      if (!marked_.contains(node.input(0))) {
        plan.reason = "its input '" + node.input(0) + "' is not quantized";
        continue;
      }
      plan.treatment = Treatment::kQuantized;
      marked_.insert(node.outputs[0]);
    }
  }

  // The chain's output stands for the values inside the chain.
  void absorb(const ClampChain& chain) {
    const auto inner = [&](const std::string& value) {
      if (value != chain.output) {
        absorbed_[value] = chain.output;
        marked_.erase(value);
      }
    };
    inner(graph_.nodes[static_cast<std::size_t>(chain.producer)].outputs[0]);
    for (const Index clamp : chain.clamps) {
      inner(graph_.nodes[static_cast<std::size_t>(clamp)].outputs[0]);
      in_chain_.insert(static_cast<std::size_t>(clamp));
    }
  }

  const std::string& carrier(const std::string& value) const {
    const auto found = absorbed_.find(value);
    return found == absorbed_.end() ? value : found->second;
  }

  bool shares_parameters(std::size_t i) const {
    const Role role = find_operator(graph_.nodes[i].domain, graph_.nodes[i].op_type)->role;
    return role == Role::kShared || (role == Role::kClamp && options_.relu == ReluPolicy::kSafe);
  }

  Status choose_outputs(std::size_t i) {
    const Node& node = graph_.nodes[i];
    NodePlan& plan = plan_.nodes[i];
    if (plan.treatment != Treatment::kQuantized) {
      for (const std::string& output : node.outputs) {
        ASSAY_TRY(choose_own(output));  // a float node's output that a quantized node uses
      }
      return {};
    }
    if (in_chain_.contains(i)) {
      return {};
    }
    if (find_operator(node.domain, node.op_type)->role == Role::kClamp) {
      plan.reason = own_clamp_reason(graph_, node, options_.relu);
    }
    const std::string& output = carrier(node.outputs[0]);
    if (!shares_parameters(i) || find_override(options_, output) != nullptr) {
      return choose_own(output);
    }
    const ActivationPlan& input = plan_.activations.at(carrier(node.input(0)));
    plan_.activations[output] = {.params = input.params, .range = reported_range(output), .source = input.source};
    return {};
  }

  ValueRange reported_range(const std::string& value) const {
    const auto found = ranges_.find(value);
    return found == ranges_.end() ? ValueRange{} : found->second.range;
  }

  // Parameters from the value's own range, if it is a quantized value.
  Status choose_own(const std::string& value) {
    if (!marked_.contains(value)) {
      return {};
    }
    const TensorOverride* setting = find_override(options_, value);
    if (setting != nullptr && setting->axis) {
      return invalid_argument("quantizer.overrides for '" + value +
                              "': axis is for weights, but this is an activation");
    }
    const RangeScheme scheme = overridden_scheme({.dtype = options_.activation_type,
                                                  .symmetric = options_.activation_symmetric,
                                                  .range = options_.activation_range},
                                                 setting);
    const bool needs_range = setting == nullptr || !(setting->scale || (setting->min && setting->max));
    ValueRange range = reported_range(value);
    if (needs_range) {
      ASSAY_ASSIGN(range, required_range(value));
    }
    ASSAY_ASSIGN(const QuantParams params, overridden_params(value, range, scheme, setting));
    plan_.activations[value] = {.params = params, .range = range, .source = value};
    return {};
  }

  Result<ValueRange> required_range(const std::string& value) const {
    if (const Tensor* constant = graph_.constant(value); constant != nullptr) {
      return data_range(*constant);
    }
    if (is_softmax_output(value)) {
      return ValueRange{.min = 0, .max = 1};
    }
    const auto found = ranges_.find(value);
    if (found == ranges_.end()) {
      return missing_range(value);
    }
    if (!found->second.fault.empty()) {
      return invalid_argument("calibration: tensor '" + value + "' is not finite: " + found->second.fault);
    }
    return found->second.range;
  }

  // Its outputs lie in [0, 1] whatever was observed.
  bool is_softmax_output(const std::string& value) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& node) {
      return node.op_type == "Softmax" && node.domain.empty() && node.outputs[0] == value;
    });
  }

  Error missing_range(const std::string& value) const {
    if (options_.ranges.empty()) {
      return invalid_argument("calibration never computed tensor '" + value + "', whose range is needed");
    }
    std::vector<std::string> given;
    for (const auto& [name, range] : options_.ranges) {
      given.push_back(name);
    }
    return invalid_argument("quantizer.ranges has no entry for tensor '" + value + "', whose range is needed" +
                            suggestion(value, given));
  }

  const Graph& graph_;
  const RangeTable& ranges_;
  const Options& options_;
  Plan plan_;
  std::set<std::string> marked_;                 // values that are quantized
  std::map<std::string, std::string> absorbed_;  // values inside a clamp chain -> the chain's output
  std::set<std::size_t> in_chain_;
  std::vector<ClampChain> chains_;
};

}  // namespace

const std::string& Plan::carrier(const std::string& value) const {
  const auto found = merged.find(value);
  return found == merged.end() ? value : found->second;
}

Result<Plan> make_plan(const Graph& graph, const RangeTable& ranges, const Options& options) {
  return Planner(graph, ranges, options).run();
}

}  // namespace assay::quantizer
