// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/eligibility.h"

#include <algorithm>
#include <cmath>

#include "engine/quantizer/clamp.h"

namespace assay::quantizer {
namespace {

bool all_finite(const Tensor& tensor) {
  const auto values = tensor.data<float>();
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

std::string constant_fault(const Graph& graph, const std::string& name, const std::string& what) {
  const Tensor* constant = graph.constant(name);
  if (constant == nullptr) {
    return what + " '" + name + "' is not constant";
  }
  if (constant->dtype() != DType::kFloat32) {
    return what + " '" + name + "' is " + std::string(dtype_name(constant->dtype())) + ", not float32";
  }
  if (!all_finite(*constant)) {
    return what + " '" + name + "' holds nan or infinity";
  }
  return "";
}

// A bias holds one value per output channel: [N], for Gemm also [1,N], or a single value for all of them.
std::string bias_fault(const Node& node, const Tensor& weight, const Tensor& bias) {
  const Index axis = channel_axis(node, weight);
  const Index channels = weight.dim(static_cast<std::size_t>(axis));
  const bool is_gemm = node.op_type == "Gemm";
  const bool one_row = bias.rank() == 1 || (is_gemm && bias.rank() == 2 && bias.dim(0) == 1);
  const bool fits = (one_row && bias.size() == channels) || (is_gemm && bias.size() == 1 && bias.rank() <= 2);
  if (fits) {
    return "";
  }
  return "bias '" + node.input(2) + "' of shape " + shape_text(bias.shape()) +
         " is not one value per output channel (" + std::to_string(channels) + ")";
}

std::string weighted_fault(const Graph& graph, const Node& node) {
  if (graph.constant(node.input(0)) != nullptr) {
    return "input '" + node.input(0) + "' is constant";
  }
  if (std::string fault = constant_fault(graph, node.input(1), "weight"); !fault.empty()) {
    return fault;
  }
  const Tensor& weight = *graph.constant(node.input(1));
  const bool rank_fits = node.op_type == "Gemm" ? weight.rank() == 2 : weight.rank() >= 3;
  if (!rank_fits || weight.size() == 0) {
    return "weight '" + node.input(1) + "' has shape " + shape_text(weight.shape());
  }
  if (node.input(2).empty()) {
    return "";
  }
  if (std::string fault = constant_fault(graph, node.input(2), "bias"); !fault.empty()) {
    return fault;
  }
  return bias_fault(node, weight, *graph.constant(node.input(2)));
}

std::string matmul_fault(const Graph& graph, const Node& node) {
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
  return "";
}

// Padding with anything but 0 would need a range that holds the padding value.
std::string pad_fault(const Graph& graph, const Node& node) {
  if (node.string_attribute("mode", "constant") != "constant") {
    return "";
  }
  float value = node.float_attribute("value", 0.0F);
  if (!node.input(2).empty()) {
    const Tensor* constant = graph.constant(node.input(2));
    if (constant == nullptr || constant->dtype() != DType::kFloat32 || constant->size() != 1) {
      return "padding value '" + node.input(2) + "' is not a constant";
    }
    value = constant->data<float>()[0];
  }
  return value == 0 ? "" : "it pads with a value other than 0";
}

bool has_second_output(const Node& node) {
  return std::any_of(node.outputs.begin() + 1, node.outputs.end(),
                     [](const std::string& name) { return !name.empty(); });
}

std::string role_fault(const Graph& graph, const Node& node, const OperatorRow& row) {
  switch (row.role) {
    case Role::kWeighted:
      return weighted_fault(graph, node);
    case Role::kMatMul:
      return matmul_fault(graph, node);
    case Role::kClamp:
      return clamp_bounds(graph, node) ? "" : "its bounds are not constant float32 numbers";
    case Role::kShared:
      return node.op_type == "Pad" ? pad_fault(graph, node) : "";
    case Role::kElementwise:
    case Role::kUnary:
      return "";
  }
  return "";
}

}  // namespace

ValueTypes value_types(const Graph& graph) {
  ValueTypes types;
  for (const ValueInfo& input : graph.inputs) {
    types[input.name] = input.dtype;
  }
  for (const auto& [name, tensor] : graph.initializers) {
    types[name] = tensor.dtype();
  }
  for (const Node& node : graph.nodes) {
    for (const std::string& output : node.outputs) {
      const auto stated = graph.value_infos.find(output);
      const bool is_stated = stated != graph.value_infos.end() && stated->second.dtype != DType::kUndefined;
      types[output] = is_stated ? stated->second.dtype : types[node.input(0)];
    }
  }
  return types;
}

std::string ineligibility_reason(const Graph& graph, const Node& node, const ValueTypes& types,
                                 const Options& options) {
  const OperatorRow* row = find_operator(node.domain, node.op_type);
  if (row == nullptr) {
    return "the quantizer does not know " + node.op_type;
  }
  if (options.format == Format::kQOperator && *row->integer_op == '\0') {
    return "the QOperator format has no integer form of " + node.op_type;
  }
  if (node.outputs.empty() || node.outputs[0].empty() || has_second_output(node)) {
    return "a second output is in use";
  }
  if (std::string fault = role_fault(graph, node, *row); !fault.empty()) {
    return fault;
  }
  bool all_constant = true;
  for (const std::size_t i : activation_inputs(graph, node, *row)) {
    const auto type = types.find(node.input(i));
    if (type == types.end() || type->second != DType::kFloat32) {
      return "input '" + node.input(i) + "' is not float32";
    }
    const Tensor* constant = graph.constant(node.input(i));
    all_constant = all_constant && constant != nullptr;
    if (constant != nullptr && !all_finite(*constant)) {
      return "input '" + node.input(i) + "' holds nan or infinity";
    }
  }
  return all_constant ? "its inputs are constant" : "";
}

bool has_weight(const Graph& graph, const Node& node, const OperatorRow& row) {
  if (row.role == Role::kWeighted) {
    return true;
  }
  return row.role == Role::kMatMul && graph.constant(node.input(1)) != nullptr;
}

Index channel_axis(const Node& node, const Tensor& weight) {
  if (node.op_type == "Conv") {
    return 0;
  }
  if (node.op_type == "Gemm") {
    return node.int_attribute("transB", 0) != 0 ? 0 : 1;
  }
  return weight.rank() < 2 ? -1 : static_cast<Index>(weight.rank()) - 1;
}

std::vector<std::size_t> activation_inputs(const Graph& graph, const Node& node, const OperatorRow& row) {
  if (row.role == Role::kMatMul && !has_weight(graph, node, row)) {
    return {0, 1};
  }
  if (row.role != Role::kElementwise) {
    return {0};
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    positions.push_back(i);
  }
  return positions;
}

}  // namespace assay::quantizer
