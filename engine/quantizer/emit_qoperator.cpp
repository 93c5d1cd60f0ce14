// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/emission.h"
#include "engine/quantizer/emit.h"
#include "engine/quantizer/operators.h"

namespace assay::quantizer {
namespace {

class QOperatorEmitter {
 public:
  QOperatorEmitter(const Graph& graph, const Plan& plan, const Options& options)
      : graph_(graph), plan_(plan), emission_(graph, plan, options) {}

  Result<QuantizedGraph> run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      ASSAY_TRY(emit(graph_.nodes[i], plan_.nodes[i]));
    }
    return emission_.finish();
  }

 private:
  Status emit(const Node& node, const NodePlan& plan) {
    switch (plan.treatment) {
      case Treatment::kFloat:
        return emission_.emit_float_node(node);
      case Treatment::kFoldedClamp:
        return {};
      case Treatment::kFusedClamp:
        // Behind an integer node the clamp was emitted together with that node.
        if (computed_in_float_.contains(node.input(0))) {
          computed_in_float_.insert(node.outputs[0]);
          emission_.emit_fused_clamp(node);
        }
        return {};
      case Treatment::kQuantized:
        break;
    }
    if (!has_integer_form(node, plan)) {
      computed_in_float_.insert(node.outputs[0]);
      return emission_.emit_quantized_in_float(node, plan);
    }
    return emit_integer(node, plan);
  }

  // The types that the integer products of runtimes take: all uint8, with int8 second operands too, or all int8.
  Status check_product_types(const Node& node, const std::vector<std::string>& inputs,
                             const std::string& result) const {
    const auto type_of = [&](const std::string& zero_point) { return emission_.constant_type(zero_point); };
    const DType a = type_of(inputs[2]);
    const DType b = type_of(inputs[5]);
    const DType y = emission_.params(result).dtype;
    if (a == y && (a == DType::kUint8 || b == DType::kInt8)) {
      return {};
    }
    return invalid_argument(node_text(graph_, node) + ": quantizer.format=qoperator has no form with " +
                            std::string(dtype_name(a)) + " '" + node.input(0) + "', " + std::string(dtype_name(b)) +
                            " '" + node.input(1) + "' and " + std::string(dtype_name(y)) + " '" + result +
                            "', as quantizer.overrides wants it: input and output have one type, and what multiplies "
                            "int8 is int8");
  }

  // The quantized value that the node makes, behind its fused clamps if it has any.
  const std::string& result_value(const Node& node, const NodePlan& plan) const {
    return plan.clamp ? plan.clamp->output : plan_.carrier(node.outputs[0]);
  }

  bool has_integer_form(const Node& node, const NodePlan& plan) const {
    if (plan.operands.outputs.empty()) {
      return false;  // quantizer.exclude_output_op_types: the result stays float
    }
    const Role role = plan.operands.role;
    if (role == Role::kWeighted || role == Role::kMatMul) {
      return true;
    }
    const QuantParams& output = emission_.params(result_value(node, plan));
    const QuantParams& input = emission_.params(plan_.carrier(node.input(0)));
    if (plan.operands.shares || role == Role::kClamp) {
      // Interpolating integers would truncate.
      const bool interpolates = node.op_type == "Resize" && node.string_attribute("mode", "nearest") != "nearest";
      return input == output && !interpolates;
    }
    const std::vector<Index> dilations = node.ints_attribute("dilations");
    if (std::any_of(dilations.begin(), dilations.end(), [](Index d) { return d != 1; })) {
      return false;
    }
    const std::vector<std::size_t>& positions = plan.operands.activations;
    return std::all_of(positions.begin(), positions.end(), [&](std::size_t i) {
      return emission_.params(plan_.carrier(node.input(i))).dtype == output.dtype;
    });
  }

  Status emit_integer(const Node& node, const NodePlan& plan) {
    const OperatorRow& row = *find_operator(node.domain, node.op_type);
    const std::string& result = result_value(node, plan);
    Node integer = node;
    integer.op_type = row.integer_op;
    integer.domain = row.integer_domain;
    if (!integer.domain.empty()) {
      emission_.import_microsoft_domain();
    }
    ASSAY_ASSIGN(integer.inputs, integer_inputs(node, plan, result));
    adapt_attributes(node, integer);
    if (!plan.clamp) {
      for (const std::size_t k : plan.operands.outputs) {
        integer.outputs[k] = emission_.make_in_integers(plan_.carrier(node.outputs[k]));
      }
      emission_.add_node(std::move(integer));
      return {};
    }
    integer.outputs = {emission_.fresh(node.outputs[0] + "_quantized")};
    const std::string unclamped = integer.outputs[0];
    emission_.add_node(std::move(integer));
    Node clip;
    clip.name = emission_.fresh(node.name + "_clamp");
    clip.op_type = "Clip";
    clip.inputs = clip_inputs(unclamped, plan.clamp->bounds, result);
    clip.outputs = {emission_.make_in_integers(result)};
    emission_.add_node(std::move(clip));
    return {};
  }

  // Where the integer operator's attributes are not those of the float one.
  void adapt_attributes(const Node& node, Node& integer) const {
    if (node.op_type == "Gemm") {
      integer.attributes.erase("alpha");  // both are part of the constants
      integer.attributes.erase("beta");
    } else if (node.op_type == "AveragePool") {
      integer.attributes.erase("dilations");  // all 1 here
    } else if (node.op_type == "Softmax") {
      integer.attributes["axis"] = node.int_attribute("axis", -1);
      integer.attributes["opset"] = graph_.opset();
    }
  }

  Result<std::vector<std::string>> integer_inputs(const Node& node, const NodePlan& plan, const std::string& result) {
    const Role role = plan.operands.role;
    if (role == Role::kWeighted || role == Role::kMatMul) {
      return product_inputs(node, plan.operands, result);
    }
    if (role == Role::kClamp) {
      ASSAY_ASSIGN(const ConstantNames x, quantized(node, 0));
      return clip_inputs(x.data, *clamp_bounds(graph_, node), result);
    }
    if (!plan.operands.shares) {
      return operand_inputs(node, plan.operands, result);
    }
    std::vector<std::string> inputs = node.inputs;
    ASSAY_ASSIGN(const ConstantNames x, quantized(node, 0));
    inputs[0] = x.data;
    if (node.op_type == "Pad" && node.string_attribute("mode", "constant") == "constant") {
      inputs.resize(std::max<std::size_t>(inputs.size(), 3));
      inputs[2] = x.zero_point;  // the real 0
    }
    return inputs;
  }

  // QLinearConv and QLinearMatMul: x, its parameters, w, its parameters, y's parameters, bias; QGemm has the bias
  // before y's parameters.
  Result<std::vector<std::string>> product_inputs(const Node& node, const Operands& operands,
                                                  const std::string& result) {
    std::vector<std::string> inputs;
    ASSAY_TRY(append_operand(node, 0, inputs));
    std::string bias;
    if (!operands.weights.empty()) {
      ASSAY_ASSIGN(const NodeConstants constants, emission_.constants_of(node, operands));
      append(constants.weights[0].second, inputs);
      bias = constants.bias ? constants.bias->data : "";
    } else {
      ASSAY_TRY(append_operand(node, 1, inputs));
    }
    ASSAY_TRY(check_product_types(node, inputs, result));
    const bool bias_first = node.op_type == "Gemm";
    if (bias_first) {
      inputs.push_back(bias);
    }
    append_params(result, inputs);
    if (!bias_first && !bias.empty()) {
      inputs.push_back(bias);
    }
    return inputs;
  }

  // The com.microsoft element-wise and pooling operators: operands, then y's parameters; QLinearConcat has these first.
  Result<std::vector<std::string>> operand_inputs(const Node& node, const Operands& operands,
                                                  const std::string& result) {
    std::vector<std::string> inputs;
    const bool result_first = node.op_type == "Concat";
    if (result_first) {
      append_params(result, inputs);
    }
    for (const std::size_t i : operands.activations) {
      ASSAY_TRY(append_operand(node, i, inputs));
    }
    if (!result_first) {
      append_params(result, inputs);
    }
    return inputs;
  }

  // Clip on integers; a bound at the type's end is left out.
  std::vector<std::string> clip_inputs(const std::string& x, const ClampBounds& bounds, const std::string& result) {
    const QuantParams& params = emission_.params(result);
    const IntegerRange type = dtype_integer_range(params.dtype);
    const IntegerRange limits = quantized_bounds(bounds, params);
    std::vector<std::string> inputs = {x};
    if (limits.min > type.min) {
      inputs.push_back(emission_.add_initializer(result + "_clip_min", integer_scalar(params.dtype, limits.min)));
    }
    if (limits.max < type.max) {
      inputs.resize(2);
      inputs.push_back(emission_.add_initializer(result + "_clip_max", integer_scalar(params.dtype, limits.max)));
    }
    return inputs;
  }

  Result<ConstantNames> quantized(const Node& node, std::size_t i) {
    return emission_.quantized(plan_.carrier(node.input(i)));
  }
  static void append(const ConstantNames& names, std::vector<std::string>& inputs) {
    inputs.insert(inputs.end(), {names.data, names.scale, names.zero_point});
  }
  Status append_operand(const Node& node, std::size_t i, std::vector<std::string>& inputs) {
    ASSAY_ASSIGN(const ConstantNames names, quantized(node, i));
    append(names, inputs);
    return {};
  }
  void append_params(const std::string& value, std::vector<std::string>& inputs) {
    const ConstantNames names = emission_.param_names(value);
    inputs.insert(inputs.end(), {names.scale, names.zero_point});
  }

  const Graph& graph_;
  const Plan& plan_;
  Emission emission_;
  std::set<std::string> computed_in_float_;  // values that a quantized node made in float
};

}  // namespace

Result<QuantizedGraph> emit_qoperator(const Graph& graph, const Plan& plan, const Options& options) {
  return QOperatorEmitter(graph, plan, options).run();
}

}  // namespace assay::quantizer
