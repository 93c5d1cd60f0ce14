// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/eligibility.h"

#include <algorithm>
#include <cmath>

#include "engine/quantizer/clamp.h"

namespace assay::quantizer {
namespace {

std::string constant_fault(const Graph& graph, const std::string& name, const std::string& what) {
  const Tensor* constant = graph.constant(name);
  if (constant == nullptr) {
    return what + " '" + name + "' is not constant";
  }
  if (!is_real(constant->dtype())) {
    return what + " '" + name + "' is " + std::string(dtype_name(constant->dtype())) + ", not float32";
  }
  if (!all_finite(*constant)) {
    return what + " '" + name + "' holds nan or infinity";
  }
  return "";
}

// A bias holds one value per output channel: [N], for Gemm also [1,N], or a single value for all of them.
std::string bias_fault(const Graph& graph, const Node& node) {
  if (std::string fault = constant_fault(graph, node.input(2), "bias"); !fault.empty()) {
    return fault;
  }
  const Tensor& bias = *graph.constant(node.input(2));
  const Index channels = output_channels(node, *graph.constant(node.input(1)));
  const bool is_gemm = node.op_type == "Gemm";
  const bool one_row = bias.rank() == 1 || (is_gemm && bias.rank() == 2 && bias.dim(0) == 1);
  const bool fits = (one_row && bias.size() == channels) || (is_gemm && bias.size() == 1 && bias.rank() <= 2);
  if (fits) {
    return "";
  }
  return "bias '" + node.input(2) + "' of shape " + shape_text(bias.shape()) +
         " is not one value per output channel (" + std::to_string(channels) + ")";
}

std::string weighted_fault(const Graph& graph, const Node& node, Role role, const Options& options) {
  if (graph.constant(node.input(0)) != nullptr) {
    return "input '" + node.input(0) + "' is constant";
  }
  const Tensor* weight = graph.constant(node.input(1));
  const bool weights_may_vary = options.format == Format::kQdq && role == Role::kWeighted;
  if (weight == nullptr && weights_may_vary) {
    return "";
  }
  if (std::string fault = constant_fault(graph, node.input(1), "weight"); !fault.empty()) {
    return fault;
  }
  bool rank_fits = weight->rank() >= 3;
  if (node.op_type == "Gemm" || role == Role::kNormalization) {
    rank_fits = weight->rank() == 2 || role == Role::kNormalization;
  }
  if (!rank_fits || weight->size() == 0) {
    return "weight '" + node.input(1) + "' has shape " + shape_text(weight->shape());
  }
  const bool needs_integer_bias = options.format == Format::kQOperator && !node.input(2).empty();
  return needs_integer_bias ? bias_fault(graph, node) : "";
}

std::string matmul_fault(const Graph& graph, const Node& node, const Options& options) {
  for (const std::string& input : {node.input(0), node.input(1)}) {
    const Tensor* constant = graph.constant(input);
    if (constant == nullptr) {
      continue;
    }
    if (std::string fault = constant_fault(graph, input, "operand"); !fault.empty()) {
      return fault;
    }
    if (constant->size() == 0) {
      return "operand '" + input + "' is empty";
    }
  }
  const bool constant_b = graph.constant(node.input(1)) != nullptr;
  if (!constant_b && (options.matmul_const_only || options.format == Format::kWeightOnly)) {
    return "operand '" + node.input(1) + "' is not constant";
  }
  return "";
}

// The padding value where it is constant; nothing where it is computed.
bool pads_with_zero(const Graph& graph, const Node& node) {
  if (node.string_attribute("mode", "constant") != "constant") {
    return true;  // with elements of the input
  }
  if (node.input(2).empty()) {
    return node.float_attribute("value", 0.0F) == 0;
  }
  const Tensor* constant = graph.constant(node.input(2));
  return constant != nullptr && is_real(constant->dtype()) && constant->size() == 1 && constant->to_doubles()[0] == 0;
}

bool has_second_output(const Node& node) {
  return std::any_of(node.outputs.begin() + 1, node.outputs.end(),
                     [](const std::string& name) { return !name.empty(); });
}

bool may_have_more_outputs(const Node& node) { return node.op_type == "Split" || node.op_type == "TopK"; }

std::string role_fault(const Graph& graph, const Node& node, Role role, const Options& options) {
  switch (role) {
    case Role::kWeighted:
    case Role::kNormalization:
      return weighted_fault(graph, node, role, options);
    case Role::kMatMul:
      return matmul_fault(graph, node, options);
    case Role::kClamp:
      return clamp_bounds(graph, node) ? "" : "its bounds are not constant float32 numbers";
    case Role::kShared:
      return node.op_type != "Pad" || pads_with_zero(graph, node) ? "" : "it pads with a value other than 0";
    default:
      return "";
  }
}

DType type_of(const ValueTypes& types, const std::string& value) {
  const auto found = types.find(value);
  return found == types.end() ? DType::kUndefined : found->second;
}

bool has_body(const Node& node) {
  return std::any_of(node.attributes.begin(), node.attributes.end(),
                     [](const auto& entry) { return std::holds_alternative<GraphPtr>(entry.second); });
}

std::string unknown_reason(const Node& node, const Options& options) {
  if (has_body(node)) {
    return node.op_type + " computes nothing itself; its bodies have lines of their own";
  }
  if (options.format == Format::kQOperator) {
    return "the QOperator format has no integer form of " + node.op_type;
  }
  return node.op_type + " is quantized only where quantizer.op_types names it";
}

}  // namespace

bool all_finite(const Tensor& tensor) {
  if (tensor.dtype() == DType::kFloat16) {
    const std::vector<double> values = tensor.to_doubles();
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  }
  const auto values = tensor.data<float>();
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

std::string ineligibility_reason(const Graph& graph, const Node& node, const ValueTypes& types,
                                 const Options& options) {
  const Role role = role_of(node.domain, node.op_type, options);
  if (role == Role::kNone) {
    return unknown_reason(node, options);
  }
  if (node.outputs.empty() || node.outputs[0].empty() ||
      (has_second_output(node) && !may_have_more_outputs(node) && role != Role::kElementwise)) {
    return "a second output is in use";
  }
  if (std::string fault = role_fault(graph, node, role, options); !fault.empty()) {
    return fault;
  }
  const Operands operands = operands_of(graph, node, types, options);
  bool all_constant = true;
  const bool takes_half = options.format == Format::kQdq || options.format == Format::kWeightOnly;
  for (const std::size_t i : operands.activations) {
    const DType type = type_of(types, node.input(i));
    if (!is_real(type) || (type == DType::kFloat16 && !takes_half)) {
      return "input '" + node.input(i) + "' is not float32";
    }
    const Tensor* constant = graph.constant(node.input(i));
    all_constant = all_constant && constant != nullptr;
    if (constant != nullptr && !all_finite(*constant)) {
      return "input '" + node.input(i) + "' holds nan or infinity";
    }
  }
  if (operands.activations.empty() && operands.weights.empty()) {
    return "it has no float input that could be quantized";
  }
  return all_constant && role != Role::kGather ? "its inputs are constant" : "";
}

Operands operands_of(const Graph& graph, const Node& node, const ValueTypes& types, const Options& options) {
  Operands operands;
  operands.role = role_of(node.domain, node.op_type, options);
  const auto is_constant = [&](std::size_t i) { return graph.constant(node.input(i)) != nullptr; };
  switch (operands.role) {
    case Role::kWeighted:
    case Role::kNormalization:
      operands.activations = {0};
      (is_constant(1) ? operands.weights : operands.activations).push_back(1);
      // Without quantized activations there is no scale for an integer bias.
      if (!node.input(2).empty() && needs_ranges(options)) {
        operands.float_bias = is_constant(1) ? bias_fault(graph, node) : "its weight is not constant";
        if (operands.float_bias.empty() && !options.quantize_bias && options.format == Format::kQdq) {
          operands.float_bias = "quantizer.quantize_bias is false";
        }
        if (operands.float_bias.empty() && options.block_size > 0 && graph.constant(node.input(1))->rank() == 2) {
          operands.float_bias = "its weight has a scale per block";
        }
        operands.bias = operands.float_bias.empty();
      }
      break;
    case Role::kMatMul:
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        // QLinearMatMul has an activation's type in front.
        const bool is_weight = is_constant(i) && (i == 1 || options.format != Format::kQOperator);
        (is_weight ? operands.weights : operands.activations).push_back(i);
      }
      break;
    case Role::kElementwise:
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.inputs[i].empty() && is_real(type_of(types, node.inputs[i]))) {
          operands.activations.push_back(i);
        }
      }
      break;
    case Role::kWhere:
      operands.activations = {1, 2};
      break;
    default:
      operands.activations = {0};
      break;
  }
  operands.shares = shares_parameters(operands.role) || (operands.role == Role::kPad && pads_with_zero(graph, node));
  const auto& excluded = options.exclude_output_op_types;
  if (std::find(excluded.begin(), excluded.end(), node.op_type) == excluded.end()) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].empty() && is_real(type_of(types, node.outputs[i]))) {
        operands.outputs.push_back(i);
      }
    }
  }
  return operands;
}

Index channel_axis(const Node& node, const Tensor& weight, std::size_t position, const Options& options) {
  const auto given = options.channel_axes.find(node.op_type);
  if (given != options.channel_axes.end()) {
    const Index rank = static_cast<Index>(weight.rank());
    const Index axis = given->second < 0 ? given->second + rank : given->second;
    return axis >= 0 && axis < rank ? axis : -1;
  }
  if (node.op_type == "Conv") {
    return options.format == Format::kDynamic ? -1 : 0;  // runtimes have ConvInteger per tensor only
  }
  if (node.op_type == "ConvTranspose") {
    return node.int_attribute("group", 1) == 1 ? 1 : -1;
  }
  if (node.op_type == "Gemm") {
    return node.int_attribute("transB", 0) != 0 ? 0 : 1;
  }
  const bool is_second = node.op_type == "MatMul" && position == 1;
  return is_second && weight.rank() >= 2 ? static_cast<Index>(weight.rank()) - 1 : -1;
}

Index output_channels(const Node& node, const Tensor& weight) {
  if (node.op_type == "ConvTranspose") {
    return weight.dim(1) * node.int_attribute("group", 1);
  }
  if (node.op_type == "Conv") {
    return weight.dim(0);
  }
  if (node.op_type == "Gemm") {
    return weight.dim(node.int_attribute("transB", 0) != 0 ? 0 : 1);
  }
  return weight.size();
}

}  // namespace assay::quantizer
