// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/emission.h"

#include <algorithm>

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
      options_(options),
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
  names.data = add_quantize(float_form(value), value);
  return names;
}

// The value before its quantization.
const std::string& Emission::float_form(const std::string& value) const {
  const auto in_float = in_float_.find(value);
  return in_float == in_float_.end() ? value : in_float->second;
}

Result<std::string> Emission::dequantized(const std::string& value) {
  const auto made = dequantized_.find(value);
  if (made != dequantized_.end()) {
    const bool dedicated =
        options_.dedicated_qdq && !in_integers_of_node_.contains(value) && source_.constant(value) == nullptr;
    return dedicated ? dedicated_pair(value) : Result<std::string>(made->second);
  }
  ASSAY_ASSIGN(const ConstantNames names, quantized(value));
  if (source_.constant(value) != nullptr) {
    ASSAY_ASSIGN(dequantized_[value], dequantized_constant(names, value));
    return dequantized_[value];
  }
  const std::string output = names_.make(value + "_DequantizeLinear_Output");
  add_dequantize(names, output, names_.make(value + "_DequantizeLinear"));
  dequantized_[value] = output;
  return output;
}

// A second pair for a further consumer of a value.
Result<std::string> Emission::dedicated_pair(const std::string& value) {
  ConstantNames names = param_names(value);
  names.data = quantize_node(float_form(value), names, value);
  const std::string output = names_.make(value + "_DequantizeLinear_Output");
  add_dequantize(names, output, names_.make(value + "_DequantizeLinear"));
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
  in_integers_of_node_.insert(value);
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

Status Emission::emit_quantized_in_float(const Node& node, const NodePlan& plan) {
  Node copy = node;
  for (const std::size_t i : plan.operands.activations) {
    const std::string& carrier = plan_.carrier(node.input(i));
    const bool is_quantized = plan_.activations.contains(carrier);
    ASSAY_ASSIGN(copy.inputs[i], is_quantized ? dequantized(carrier) : float_input(carrier));
  }
  if (!plan.operands.weights.empty()) {
    ASSAY_ASSIGN(const NodeConstants constants, constants_of(node, plan.operands));
    for (const auto& [position, names] : constants.weights) {
      ASSAY_ASSIGN(copy.inputs[position], dequantized_constant(names, node.input(position)));
    }
    if (constants.bias) {
      ASSAY_ASSIGN(copy.inputs[2], dequantized_constant(*constants.bias, node.input(2)));
    }
    copy.attributes.erase("alpha");  // of Gemm: part of the weight
    if (constants.bias) {
      copy.attributes.erase("beta");
    }
  }
  for (const std::size_t k : plan.operands.outputs) {
    const std::string& carrier = plan_.carrier(node.outputs[k]);
    if (plan_.activations.contains(carrier)) {
      copy.outputs[k] = make_in_float(carrier);
    }
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
    entry->second.scale = add_initializer(source + "_scale", scale_scalar(chosen));
    entry->second.zero_point = add_initializer(source + "_zero_point", integer_scalar(chosen.dtype, chosen.zero_point));
  }
  return entry->second;
}

Result<NodeConstants> Emission::constants_of(const Node& node, const Operands& operands) {
  const float x_scale = operands.bias ? params(plan_.carrier(node.input(0))).scale : 1.0F;
  return constants_.constants_of({.node = node, .operands = operands, .x_scale = x_scale});
}

std::string Emission::add_initializer(const std::string& base, Tensor tensor) {
  std::string name = names_.make(base);
  target_.initializers[name] = std::move(tensor);
  return name;
}

std::string Emission::add_quantize(const std::string& from, const std::string& value) {
  std::string name = quantize_node(from, param_names(value), value);
  in_integers_[value] = name;
  return name;
}

std::string Emission::quantize_node(const std::string& from, const ConstantNames& names, const std::string& base) {
  Node node;
  node.name = names_.make(base + "_QuantizeLinear");
  node.op_type = "QuantizeLinear";
  node.inputs = {from, names.scale, names.zero_point};
  node.outputs = {names_.make(base + "_quantized")};
  std::string output = node.outputs[0];
  add_linear_node(std::move(node), names);
  return output;
}

// Attributes and domain of a QuantizeLinear or DequantizeLinear.
void Emission::add_linear_node(Node node, const ConstantNames& names) {
  if (names.axis >= 0) {
    node.attributes["axis"] = names.axis;
  }
  if (names.block > 0) {
    node.attributes["block_size"] = names.block;
  }
  if (options_.contrib_qdq) {
    node.domain = kMicrosoftDomain;
    import_microsoft_domain();
  }
  add_node(std::move(node));
}

void Emission::add_dequantize(const ConstantNames& from, const std::string& to, const std::string& node_name) {
  Node node;
  node.name = node_name;
  node.op_type = "DequantizeLinear";
  node.inputs = {from.data, from.scale, from.zero_point};
  node.outputs = {to};
  add_linear_node(std::move(node), from);
}

Result<std::string> Emission::dequantized_constant(ConstantNames names, const std::string& base) {
  const auto [entry, is_new] = constant_dequantized_.try_emplace(names.original + names.scale);
  if (is_new) {
    if (names.data.empty()) {
      names.data = quantize_node(names.original, names, base);
    }
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
