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

template <typename Values>
ValueRange range_of_values(const Values& values) {
  if (values.empty()) {
    return {};
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {.min = static_cast<double>(*low), .max = static_cast<double>(*high)};
}

ValueRange data_range(const Tensor& tensor) {
  return tensor.dtype() == DType::kFloat32 ? range_of_values(tensor.data<float>())
                                           : range_of_values(tensor.to_doubles());
}

class Planner {
 public:
  // `asked`, where given: receives the values whose ranges are needed, and [0, 1] stands for each.
  Planner(const Graph& graph, const RangeTable& ranges, const Options& options, std::set<std::string>* asked = nullptr)
      : graph_(graph), index_(graph), ranges_(ranges), options_(options), asked_(asked) {}

  Result<Plan> run() {
    mark_nodes();
    chains_ = clamp_chains(graph_, plan_.nodes, options_.relu);
    for (const ClampChain& chain : chains_) {
      absorb(chain);
    }
    for (const auto& [name, tensor] : graph_.initializers) {
      ASSAY_TRY(choose_own(name));
    }
    for (const ValueInfo& input : graph_.inputs) {
      ASSAY_TRY(choose_own(input.name));
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      ASSAY_TRY(choose_outputs(i));
    }
    for (const ClampChain& chain : chains_) {
      settle_chain(graph_, chain, options_.relu, ranges_, plan_);
    }
    return std::move(plan_);
  }

 private:
  // In the graph's order, so that what a node makes is marked before its users are looked at.
  void mark_nodes() {
    plan_.types = value_types(graph_);
    for (const Node& node : graph_.nodes) {
      NodePlan& plan = plan_.nodes.emplace_back();
      plan.reason = deselection_reason(node, options_);
      if (plan.reason.empty()) {
        plan.reason = ineligibility_reason(graph_, node, plan_.types, options_);
      }
      if (!plan.reason.empty()) {
        continue;
      }
      plan.operands = operands_of(graph_, node, plan_.types, options_);
      plan.reason = follower_reason(node, plan.operands);
      if (plan.reason.empty()) {
        plan.treatment = Treatment::kQuantized;
        mark_operands(node, plan.operands);
        plan.reason = plan.operands.float_bias.empty() ? "" : "its bias stays float: " + plan.operands.float_bias;
      }
    }
  }

  // Why a node that only follows quantized values does not: "" where it does, or follows nobody.
  std::string follower_reason(const Node& node, const Operands& operands) const {
    if (options_.format == Format::kWeightOnly && (operands.weights.empty() || operands.role == Role::kNormalization)) {
      return "it has no weight that quantizer.format=weight_only quantizes";
    }
    const auto is_float = [&](const std::string& value) { return "its input '" + value + "' is not quantized"; };
    if (operands.shares && operands.outputs.empty()) {
      return "quantizer.exclude_output_op_types names " + node.op_type;
    }
    switch (operands.role) {
      case Role::kShared:
      case Role::kGather: {
        const bool quantizes_table = operands.role == Role::kGather && graph_.constant(node.input(0)) != nullptr;
        const bool goes = options_.force_layout_ops || quantizes_table || marked_.contains(node.input(0));
        return goes ? "" : is_float(node.input(0));
      }
      case Role::kClamp:
      case Role::kFollower:
        return marked_.contains(node.input(0)) ? "" : is_float(node.input(0));
      case Role::kWhere:
        for (const std::size_t i : operands.activations) {
          if (!options_.force_layout_ops && !marked_.contains(node.input(i))) {
            return is_float(node.input(i));
          }
        }
        return "";
      default:
        return "";
    }
  }

  void mark_operands(const Node& node, const Operands& operands) {
    if (options_.format == Format::kWeightOnly) {
      return;
    }
    for (const std::size_t i : operands.activations) {
      marked_.insert(node.input(i));
    }
    for (const std::size_t i : operands.outputs) {
      marked_.insert(node.outputs[i]);
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

  // A clamp that is part of no chain is an integer Clip in QOperator format, which has the parameters of its input.
  bool shares_input(std::size_t i) const {
    const Operands& operands = plan_.nodes[i].operands;
    return operands.shares || (operands.role == Role::kClamp && options_.relu == ReluPolicy::kSafe &&
                               options_.format == Format::kQOperator);
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
    if (plan.operands.role == Role::kClamp) {
      plan.reason = own_clamp_reason(graph_, node, options_.relu);
    }
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      const auto& quantized = plan.operands.outputs;
      const bool is_quantized = std::find(quantized.begin(), quantized.end(), k) != quantized.end();
      // One that stays float here may still be quantized for a user.
      ASSAY_TRY(is_quantized ? choose_output(i, carrier(node.outputs[k])) : choose_own(node.outputs[k]));
    }
    return {};
  }

  Status choose_output(std::size_t i, const std::string& output) {
    if (!marked_.contains(output)) {
      return {};
    }
    if (!shares_input(i) || find_override(options_, output) != nullptr) {
      return choose_own(output);
    }
    const ActivationPlan& input = plan_.activations.at(carrier(graph_.nodes[i].input(0)));
    plan_.activations[output] = {.params = input.params, .range = reported_range(output), .source = input.source};
    return {};
  }

  // The clamp that alone uses a value, if it is quantized; null otherwise.
  const Node* only_clamp(const std::string& value) const {
    if (index_.consumer_count(value) != 1 || graph_.is_output(value)) {
      return nullptr;
    }
    const auto user = static_cast<std::size_t>(index_.consumers(value)[0]);
    const NodePlan& plan = plan_.nodes[user];
    const bool clamps = plan.treatment == Treatment::kQuantized && plan.operands.role == Role::kClamp;
    return clamps ? &graph_.nodes[user] : nullptr;
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
    if (setting == nullptr) {
      if (const auto fixed = fixed_params(value); fixed) {
        plan_.activations[value] = {.params = *fixed, .range = reported_range(value), .source = value};
        return {};
      }
    }
    const RangeScheme scheme = overridden_scheme(scheme_of(value), setting);
    const bool needs_range = setting == nullptr || !(setting->scale || (setting->min && setting->max));
    ValueRange range = reported_range(value);
    if (needs_range) {
      const Node* clamp = only_clamp(value);
      ASSAY_ASSIGN(range, required_range(clamp == nullptr ? value : clamp->outputs[0]));
    }
    ASSAY_ASSIGN(const QuantParams params, overridden_params(value, range, scheme, setting));
    plan_.activations[value] = {.params = params, .range = range, .source = value};
    return {};
  }

  RangeScheme scheme_of(const std::string& value) const {
    const auto type = plan_.types.find(value);
    RangeScheme scheme{
        .dtype = options_.activation_type,
        .symmetric = options_.activation_symmetric,
        .range = options_.activation_range,
        .restricted = options_.activation_restricted,
        .minimum_range = options_.minimum_real_range,
        .scale_type = type != plan_.types.end() && type->second == DType::kFloat16 ? DType::kFloat16 : DType::kFloat32};
    if (graph_.constant(value) == nullptr) {
      return scheme;
    }
    // Constants: the peer reduces their range in QDQ format, and takes them for weights in QOperator format where the
    // two types are one.
    scheme.restricted = false;
    if (options_.format != Format::kQOperator) {
      scheme.reduce_range = options_.reduce_range;
    } else if (options_.weight_type == options_.activation_type) {
      scheme.symmetric = options_.weight_symmetric;
      scheme.range = options_.weight_range;
    }
    return scheme;
  }

  // Parameters that an operator of the QOperator format has whatever its range: Softmax and, if asked for, Sigmoid.
  std::optional<QuantParams> fixed_params(const std::string& value) const {
    const Index producer = index_.producer(value);
    if (options_.format != Format::kQOperator || producer < 0 ||
        plan_.nodes[static_cast<std::size_t>(producer)].treatment != Treatment::kQuantized) {
      return std::nullopt;
    }
    constexpr float kScale = 1.0F / 256;
    const std::string& op_type = graph_.nodes[static_cast<std::size_t>(producer)].op_type;
    if (op_type == "Softmax") {
      return QuantParams{.dtype = options_.activation_type,
                         .scale = kScale,
                         .zero_point = dtype_integer_range(options_.activation_type).min};
    }
    if (op_type == "Sigmoid" && options_.sigmoid_fixed) {
      return QuantParams{.dtype = options_.activation_type, .scale = kScale, .zero_point = 0};
    }
    return std::nullopt;
  }

  Result<ValueRange> required_range(const std::string& value) const {
    if (const Tensor* constant = graph_.constant(value); constant != nullptr) {
      return data_range(*constant);
    }
    if (is_softmax_output(value)) {
      return ValueRange{.min = 0, .max = 1};
    }
    if (asked_ != nullptr) {
      asked_->insert(value);
      return ValueRange{.min = 0, .max = 1};
    }
    const auto found = ranges_.find(value);
    if (found == ranges_.end()) {
      return missing_range(value);
    }
    if (!found->second.fault.empty()) {
      return invalid_argument("calibration: tensor '" + value + "' is not finite: " + found->second.fault +
                              faulty_constant(value));
    }
    return found->second.range;
  }

  // A constant that is not finite itself, among all that the value is computed from: "" where there is none.
  std::string faulty_constant(const std::string& value) const {
    std::vector<std::string> open = {value};
    std::set<std::string> seen = {value};
    while (!open.empty()) {
      const Index producer = index_.producer(open.back());
      open.pop_back();
      if (producer < 0) {
        continue;
      }
      const Node& node = graph_.nodes[static_cast<std::size_t>(producer)];
      for (const std::string& input : node.inputs) {
        const Tensor* constant = graph_.constant(input);
        if (constant != nullptr && is_real(constant->dtype()) && !all_finite(*constant)) {
          return "; it is computed from '" + input + "', a constant of " + short_text(node) +
                 " that holds nan or infinity";
        }
        if (seen.insert(input).second) {
          open.push_back(input);
        }
      }
    }
    return "";
  }

  // Its outputs lie in [0, 1] whatever was observed.
  bool is_softmax_output(const std::string& value) const {
    const Index producer = index_.producer(value);
    return producer >= 0 && graph_.nodes[static_cast<std::size_t>(producer)].op_type == "Softmax" &&
           plan_.nodes[static_cast<std::size_t>(producer)].treatment == Treatment::kQuantized;
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
  const GraphIndex index_;
  const RangeTable& ranges_;
  const Options& options_;
  std::set<std::string>* asked_;
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

std::optional<std::set<std::string>> asked_ranges(const Graph& graph, const Options& options) {
  std::set<std::string> asked;
  const RangeTable none;
  return Planner(graph, none, options, &asked).run().ok() ? std::optional(std::move(asked)) : std::nullopt;
}

}  // namespace assay::quantizer
