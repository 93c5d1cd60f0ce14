// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/emit_dynamic.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/quantizer/constant_store.h"
#include "engine/quantizer/gemm_to_matmul.h"
#include "engine/quantizer/selection.h"

namespace assay::quantizer {
namespace {

constexpr Index kFirstIrVersion = 7;  // of opset 13

struct DynamicOperand {
  std::string data;
  std::string scale;
  std::string zero_point;
};

class DynamicEmitter {
 public:
  DynamicEmitter(const Graph& graph, const Options& options)
      : source_(graph),
        options_(options),
        types_(value_types(graph)),
        target_(without_nodes(graph)),
        names_(graph),
        constants_(source_, options_, target_, names_) {}

  Result<QuantizedGraph> run() {
    QuantizedGraph result;
    for (const Node& node : source_.nodes) {
      const std::string reason = float_reason(node);
      result.nodes.push_back(
          {.node = node.name, .op_type = node.op_type, .quantized = reason.empty(), .reason = reason});
      if (reason.empty()) {
        ASSAY_TRY(emit(node));
      } else {
        target_.nodes.push_back(node);
      }
    }
    ASSAY_TRY(topological_sort(target_));
    remove_dead_nodes(target_);
    result.graph = std::move(target_);
    result.tensors = constants_.reports();
    result.warnings = constants_.warnings();
    return result;
  }

 private:
  static Graph without_nodes(const Graph& source) {
    Graph graph = source;
    graph.nodes.clear();
    graph.ir_version = std::max(graph.ir_version, kFirstIrVersion);
    return graph;
  }

  std::string float_reason(const Node& node) const {
    if (node.op_type == "LSTM") {
      return "LSTM stays float: its integer form is an operator of ONNX Runtime alone";
    }
    if (!node.domain.empty() || (node.op_type != "MatMul" && node.op_type != "Conv")) {
      return "the dynamic format has no integer form of " + node.op_type +
             (node.op_type == "Gemm" ? " with transA or a computed B or C" : "");
    }
    if (std::string reason = deselection_reason(node, options_); !reason.empty()) {
      return reason;
    }
    return ineligibility_reason(source_, node, types_, options_);
  }

  // One DynamicQuantizeLinear per value.
  const DynamicOperand& quantized(const std::string& value) {
    const auto [entry, is_new] = quantized_.try_emplace(value);
    if (is_new) {
      DynamicOperand& operand = entry->second;
      operand.data = names_.make(value + "_quantized");
      operand.scale = names_.make(value + "_scale");
      operand.zero_point = names_.make(value + "_zero_point");
      add("DynamicQuantizeLinear", names_.make(value + "_QuantizeLinear"), {value},
          {operand.data, operand.scale, operand.zero_point});
    }
    return entry->second;
  }

  Status emit(const Node& node) {
    const Operands operands = operands_of(source_, node, types_, options_);
    std::array<DynamicOperand, 2> sides;
    Index axis = -1;
    ASSAY_ASSIGN(const NodeConstants constants,
                 constants_.constants_of({.node = node, .operands = without_bias(operands), .x_scale = 1}));
    for (const std::size_t i : operands.activations) {
      sides[i] = quantized(node.input(i));
    }
    for (const auto& [position, names] : constants.weights) {
      sides[position] = {names.data, names.scale, names.zero_point};
      axis = names.axis < 0 ? -1 : names.axis;
    }
    const std::string sums = names_.make(node.outputs[0] + "_sums");
    Node integer = node;
    integer.op_type = node.op_type + "Integer";
    integer.inputs = {sides[0].data, sides[1].data, sides[0].zero_point, sides[1].zero_point};
    integer.outputs = {sums};
    target_.nodes.push_back(std::move(integer));

    const std::string scale = names_.make(node.outputs[0] + "_scale");
    add("Mul", names_.make(node.name + "_scales"), {sides[0].scale, sides[1].scale}, {scale});
    const bool has_bias = node.op_type == "Conv" && !node.input(2).empty();
    const std::string real = has_bias ? names_.make(node.outputs[0] + "_without_bias") : node.outputs[0];
    Node& dequantize = add("DequantizeLinear", names_.make(node.name + "_DequantizeLinear"), {sums, scale}, {real});
    if (axis >= 0) {
      dequantize.attributes["axis"] = Index{-1};  // MatMul: a scale per column
    }
    return has_bias ? add_bias(node, real) : Status();
  }

  static Operands without_bias(Operands operands) {
    operands.bias = false;
    return operands;
  }

  // The bias [C] of a Conv is added along axis 1.
  Status add_bias(const Node& node, const std::string& real) {
    const Tensor& bias = *source_.constant(node.input(2));
    Shape shape(source_.constant(node.input(1))->rank(), 1);
    shape[1] = bias.size();
    const std::string name = names_.make(node.input(2) + "_reshaped");
    target_.initializers[name] = bias.reshaped(shape);
    add("Add", names_.make(node.name + "_Add"), {real, name}, {node.outputs[0]});
    return {};
  }

  Node& add(const std::string& op_type, const std::string& name, std::vector<std::string> inputs,
            std::vector<std::string> outputs) {
    Node& node = target_.nodes.emplace_back();
    node.name = name;
    node.op_type = op_type;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return node;
  }

  const Graph& source_;
  const Options& options_;
  const ValueTypes types_;
  Graph target_;
  NameMaker names_;
  ConstantStore constants_;
  std::map<std::string, DynamicOperand> quantized_;
};

}  // namespace

Result<QuantizedGraph> emit_dynamic(const Graph& graph, const Options& options) {
  Graph rewritten = graph;
  ASSAY_TRY(gemm_to_matmul(rewritten));
  return DynamicEmitter(rewritten, options).run();
}

}  // namespace assay::quantizer
