// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/emission.h"

#include <algorithm>

#include "engine/quantizer/eligibility.h"
#include "engine/quantizer/operators.h"

namespace assay::quantizer {
namespace {

constexpr Index kFirstIrVersion = 7;  // of opset 13

Graph without_nodes(const Graph& source) {
  Graph graph = source;
  graph.nodes.clear();
  graph.ir_version = std::max(graph.ir_version, kFirstIrVersion);
  return graph;
}

}  // namespace

Emission::Emission(const Graph& source, const Plan& plan, const Options& options)
    : source_(source),
      plan_(plan),
      target_(without_nodes(source)),
      names_(source),
      constants_(source, options, target_, names_) {}

Result<ConstantNames> Emission::quantized(const std::string& value) {
  if (source_.constant(value) != nullptr) {
    return constants_.activation_constant(value, params(value));
  }
  ConstantNames names = param_names(value);
  const auto made = in_integers_.find(value);
  if (made != in_integers_.end()) {
    names.data = made->second;
    return names;
  }
  const auto in_float = in_float_.find(value);
  names.data = add_quantize(in_float == in_float_.end() ? value : in_float->second, value);
  return names;
}

Result<std::string> Emission::dequantized(const std::string& value) {
  const auto made = dequantized_.find(value);
  if (made != dequantized_.end()) {
    return made->second;
  }
  ASSAY_ASSIGN(const ConstantNames names, quantized(value));
  const std::string output = names_.make(value + "_DequantizeLinear_Output");
  add_dequantize(names, output, names_.make(value + "_DequantizeLinear"));
  dequantized_[value] = output;
  return output;
}

Result<std::string> Emission::float_input(const std::string& value) {
  const std::string& carrier = plan_.carrier(value);
  if (!made_quantized_.contains(carrier)) {
    return value;
  }
  return dequantized(carrier);
}

std::string Emission::make_in_float(const std::string& value) {
  made_quantized_.insert(value);
  std::string name = source_.is_output(value) ? names_.make(value + "_QuantizeLinear_Input") : value;
  in_float_[value] = name;
  return name;
}

std::string Emission::make_in_integers(const std::string& value) {
  made_quantized_.insert(value);
  std::string name = names_.make(value + "_quantized");
  in_integers_[value] = name;
  return name;
}

Status Emission::emit_float_node(const Node& node) {
  Node copy = node;
  for (std::string& input : copy.inputs) {
    if (!input.empty()) {
      ASSAY_ASSIGN(input, float_input(input));
    }
  }
  add_node(std::move(copy));
  return {};
}

Status Emission::emit_quantized_in_float(const Node& node) {
  const OperatorRow& row = *find_operator(node.domain, node.op_type);
  Node copy = node;
  for (const std::size_t i : activation_inputs(source_, node, row)) {
    ASSAY_ASSIGN(copy.inputs[i], dequantized(plan_.carrier(node.input(i))));
  }
  if (has_weight(source_, node, row)) {
    ASSAY_ASSIGN(const NodeConstants constants, constants_of(node));
    ASSAY_ASSIGN(copy.inputs[1], dequantized_constant(constants.weight, node.input(1)));
    if (constants.bias) {
      ASSAY_ASSIGN(copy.inputs[2], dequantized_constant(*constants.bias, node.input(2)));
    }
    copy.attributes.erase("alpha");
    copy.attributes.erase("beta");
  }
  const std::string& carrier = plan_.carrier(node.outputs[0]);
  if (plan_.activations.contains(carrier)) {
    copy.outputs[0] = make_in_float(carrier);
  }
  add_node(std::move(copy));
  return {};
}

void Emission::emit_fused_clamp(const Node& node) {
  Node copy = node;
  if (plan_.activations.contains(node.outputs[0])) {
    copy.outputs[0] = make_in_float(node.outputs[0]);
  }
  add_node(std::move(copy));
}

ConstantNames Emission::param_names(const std::string& value) {
  const std::string& source = plan_.activations.at(value).source;
  const auto [entry, is_new] = params_.try_emplace(source);
  if (is_new) {
    const QuantParams& chosen = params(value);
    entry->second.scale = add_initializer(source + "_scale", Tensor::scalar<float>(chosen.scale));
    entry->second.zero_point = add_initializer(source + "_zero_point", integer_scalar(chosen.dtype, chosen.zero_point));
  }
  return entry->second;
}

Result<NodeConstants> Emission::constants_of(const Node& node) {
  return constants_.constants_of(node, params(plan_.carrier(node.input(0))).scale);
}

std::string Emission::add_initializer(const std::string& base, Tensor tensor) {
  std::string name = names_.make(base);
  target_.initializers[name] = std::move(tensor);
  return name;
}

std::string Emission::add_quantize(const std::string& from, const std::string& value) {
  const ConstantNames names = param_names(value);
  Node node;
  node.name = names_.make(value + "_QuantizeLinear");
  node.op_type = "QuantizeLinear";
  node.inputs = {from, names.scale, names.zero_point};
  node.outputs = {names_.make(value + "_quantized")};
  in_integers_[value] = node.outputs[0];
  add_node(node);
  return node.outputs[0];
}

void Emission::add_dequantize(const ConstantNames& from, const std::string& to, const std::string& node_name) {
  Node node;
  node.name = node_name;
  node.op_type = "DequantizeLinear";
  node.inputs = {from.data, from.scale, from.zero_point};
  node.outputs = {to};
  if (from.axis >= 0) {
    node.attributes["axis"] = from.axis;
  }
  add_node(std::move(node));
}

Result<std::string> Emission::dequantized_constant(const ConstantNames& names, const std::string& base) {
  const auto [entry, is_new] = constant_dequantized_.try_emplace(names.data);
  if (is_new) {
    entry->second = names_.make(base + "_DequantizeLinear_Output");
    add_dequantize(names, entry->second, names_.make(base + "_DequantizeLinear"));
  }
  return entry->second;
}

Result<QuantizedGraph> Emission::finish() {
  for (const ValueInfo& output : target_.outputs) {
    const std::string& carrier = plan_.carrier(output.name);
    if (made_quantized_.contains(carrier)) {
      ASSAY_ASSIGN(const ConstantNames names, quantized(carrier));
      add_dequantize(names, output.name, names_.make(output.name + "_DequantizeLinear"));
    }
  }
  ASSAY_TRY(topological_sort(target_));
  remove_dead_nodes(target_);
  std::set<std::string> values;
  for (const Node& node : target_.nodes) {
    values.insert(node.outputs.begin(), node.outputs.end());
  }
  std::erase_if(target_.value_infos, [&](const auto& entry) { return !values.contains(entry.first); });
  QuantizedGraph result;
  result.graph = std::move(target_);
  result.warnings = constants_.warnings();
  result.tensors = constants_.reports();
  return result;
}

}  // namespace assay::quantizer
