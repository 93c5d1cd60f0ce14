// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/inspect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/quantizer/quantized_operators.h"

namespace assay::quantizer {
namespace {

constexpr std::array<std::string_view, 4> kEndings = {"_QuantizeLinear_Input", "_QuantizeLinear_Output",
                                                      "_DequantizeLinear_Output", "_quantized"};

bool is_quantize(const Node& node) { return node.op_type == "QuantizeLinear"; }
bool is_dequantize(const Node& node) { return node.op_type == "DequantizeLinear"; }
bool is_clamp(const Node& node) { return node.op_type == "Relu" || node.op_type == "Clip"; }

// The name without an ending that a tool added; a number behind the ending stays.
std::string without_ending(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) {
    --end;
  }
  const bool numbered = end < name.size() && end > 0 && name[end - 1] == '_';
  const std::string number = numbered ? name.substr(end - 1) : "";
  const std::string_view head = std::string_view(name).substr(0, numbered ? end - 1 : name.size());
  for (const std::string_view ending : kEndings) {
    if (head.size() > ending.size() && head.ends_with(ending)) {
      return std::string(head.substr(0, head.size() - ending.size())) + number;
    }
  }
  return name;
}

class Inspector {
 public:
  Inspector(const Graph& graph, std::string path, Inspection& found)
      : graph_(graph), path_(std::move(path)), found_(found), index_(graph) {}

  void run() {
    for (const Node& node : graph_.nodes) {
      if (is_quantize(node) || is_dequantize(node)) {
        origins_[node.outputs[0]] = float_name(node.input(0));
      }
    }
    for (const Node& node : graph_.nodes) {
      if (const QuantizedOperator* op = find_quantized_operator(node.op_type); op != nullptr) {
        add_params(node, *op);
      }
      if (!is_quantize(node) && !is_dequantize(node)) {
        add_node(node);
      }
    }
    for (const auto& [name, tensor] : graph_.initializers) {
      if (!taken_.contains(name)) {
        found_.constants[path_ + name] = tensor;
      }
    }
  }

 private:
  std::string float_name(const std::string& value) const {
    const auto origin = origins_.find(value);
    return origin == origins_.end() ? without_ending(value) : origin->second;
  }

  void add_params(const Node& node, const QuantizedOperator& op) {
    for (const QuantizedOperand& operand : quantized_operands(op, node)) {
      StatedParams params = params_at(node, operand.scale, operand.zero_point);
      const Tensor* values = graph_.constant(node.input(operand.data));
      if (values != nullptr) {
        params.values = *values;
        params.dtype = values->dtype();
        taken_.insert(node.input(operand.data));
      }
      set_axis(node, operand, params);
      add(float_name(node.input(operand.data)), std::move(params));
    }
    if (node.op_type == "DynamicQuantizeLinear") {
      StatedParams params;
      params.dtype = DType::kUint8;
      params.dynamic = true;
      add(float_name(node.input(0)), std::move(params));
    } else if (op.result_zero_point != kNoInput && !node.input(op.result_zero_point - 1).empty()) {
      StatedParams params = params_at(node, op.result_zero_point - 1, op.result_zero_point);
      if (params.scales.size() > 1) {
        params.axis = node.int_attribute("axis", 1);
      }
      add(float_name(is_quantize(node) ? node.input(0) : node.outputs[0]), std::move(params));
    }
  }

  StatedParams params_at(const Node& node, std::size_t scale, std::size_t zero_point) {
    StatedParams params;
    const Tensor* scales = scale == kNoInput ? nullptr : graph_.constant(node.input(scale));
    const Tensor* zeros = zero_point == kNoInput ? nullptr : graph_.constant(node.input(zero_point));
    if (scales != nullptr) {
      params.scales = scales->to_doubles();
      taken_.insert(node.input(scale));
    }
    if (zeros != nullptr) {
      params.dtype = zeros->dtype();
      params.zero_points = zeros->to_indices();
      taken_.insert(node.input(zero_point));
    } else if (is_quantize(node) || is_dequantize(node)) {
      params.dtype = DType::kUint8;  // the default of QuantizeLinear; constants have their own type
    }
    params.dynamic = scale != kNoInput && scales == nullptr;
    if (zeros == nullptr && !params.dynamic && (zero_point == kNoInput || node.input(zero_point).empty())) {
      params.zero_points.assign(params.scales.size(), 0);
    }
    if (params.zero_points.size() == 1 && params.scales.size() > 1) {
      params.zero_points.assign(params.scales.size(), params.zero_points[0]);
    }
    params.block_size = node.int_attribute("block_size", 0);
    return params;
  }

  static void set_axis(const Node& node, const QuantizedOperand& operand, StatedParams& params) {
    if (std::max(params.scales.size(), params.zero_points.size()) <= 1) {
      return;
    }
    const Index rank = params.values.empty() ? 0 : static_cast<Index>(params.values.rank());
    if (is_dequantize(node)) {
      params.axis = node.int_attribute("axis", 1);
    } else if (node.op_type == "QGemm") {
      params.axis = operand.data == 3 && node.int_attribute("transB", 0) != 0 ? 0 : 1;
    } else {
      params.axis = node.op_type == "QLinearConv" || node.op_type == "ConvInteger" ? 0 : rank - 1;
    }
    if (params.axis < 0 && rank > 0) {
      params.axis += rank;
    }
  }

  void add(const std::string& tensor, StatedParams params) {
    const auto same = [&](const StatedParams& other) {
      return other.dtype == params.dtype && other.scales == params.scales && other.zero_points == params.zero_points &&
             other.dynamic == params.dynamic;
    };
    std::size_t count = 0;
    for (StatedParams& other : found_.params) {
      if (other.tensor == path_ + tensor || other.tensor.starts_with(path_ + tensor + " (")) {
        ++count;
        if (same(other)) {
          return;
        }
      }
    }
    params.tensor = path_ + tensor + (count == 0 ? "" : " (" + std::to_string(count + 1) + ")");
    found_.params.push_back(std::move(params));
  }

  bool is_dequantized(const std::string& value, bool constant) const {
    const Index producer = index_.producer(value);
    if (producer < 0 || !is_dequantize(graph_.nodes[static_cast<std::size_t>(producer)])) {
      return false;
    }
    return (graph_.constant(graph_.nodes[static_cast<std::size_t>(producer)].input(0)) != nullptr) == constant;
  }

  bool goes_to_quantize(const std::string& value) const {
    const std::vector<Index>& consumers = index_.consumers(value);
    return !consumers.empty() && !graph_.is_output(value) && std::ranges::all_of(consumers, [&](Index i) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(i)];
      return is_quantize(node) || (is_clamp(node) && !node.outputs.empty() && goes_to_quantize(node.outputs[0]));
    });
  }

  // Of the values that are computed: constants that stand beside them (shapes, bounds) have no part in it.
  NodeArithmetic arithmetic_of(const Node& node) const {
    if (find_quantized_operator(node.op_type) != nullptr) {
      return NodeArithmetic::kIntegers;
    }
    bool dequantized = false;
    bool real = false;
    bool weights = false;
    for (const std::string& input : node.inputs) {
      weights = weights || is_dequantized(input, true);
      if (is_dequantized(input, false)) {
        dequantized = true;
      } else if (!input.empty() && graph_.constant(input) == nullptr && !is_dequantized(input, true)) {
        real = true;
      }
    }
    if (is_clamp(node) && real && goes_to_quantize(node.outputs[0])) {
      const Index producer = index_.producer(node.input(0));
      return producer >= 0 ? arithmetic_of(graph_.nodes[static_cast<std::size_t>(producer)]) : NodeArithmetic::kFloat;
    }
    if ((dequantized || (weights && !real)) && !real &&
        std::ranges::all_of(node.outputs,
                            [&](const std::string& output) { return output.empty() || goes_to_quantize(output); })) {
      return NodeArithmetic::kIntegers;
    }
    return weights ? NodeArithmetic::kIntegerWeights : NodeArithmetic::kFloat;
  }

  void add_node(const Node& node) {
    StatedNode stated{.node = node, .arithmetic = arithmetic_of(node)};
    stated.node.name = path_ + node.name;
    stated.node.inputs.clear();
    for (const std::string& input : node.inputs) {
      if (!taken_.contains(input) || origins_.contains(input) || !is_parameter(node, input)) {
        stated.node.inputs.push_back(input.empty() ? "" : path_ + float_name(input));
      }
    }
    for (std::string& output : stated.node.outputs) {
      output = output.empty() ? "" : path_ + float_name(output);
    }
    for (const auto& [key, value] : node.attributes) {
      if (const auto* body = std::get_if<GraphPtr>(&value); body != nullptr) {
        Inspector(**body, path_ + node.name + "/" + key + "/", found_).run();
        stated.node.attributes.erase(key);
      }
    }
    found_.nodes.push_back(std::move(stated));
  }

  // Whether the value is a scale or zero point of this node.
  static bool is_parameter(const Node& node, const std::string& value) {
    const QuantizedOperator* op = find_quantized_operator(node.op_type);
    if (op == nullptr) {
      return false;
    }
    const auto at = [&](std::size_t position) { return position != kNoInput && node.input(position) == value; };
    const std::vector<QuantizedOperand> operands = quantized_operands(*op, node);
    return std::ranges::any_of(operands, [&](const QuantizedOperand& o) { return at(o.scale) || at(o.zero_point); }) ||
           (op->result_zero_point != kNoInput && (at(op->result_zero_point) || at(op->result_zero_point - 1)));
  }

  const Graph& graph_;
  const std::string path_;
  Inspection& found_;
  const GraphIndex index_;
  std::unordered_map<std::string, std::string> origins_;  // what the two operators make -> float name
  std::unordered_set<std::string> taken_;                 // constants that are quantized, or parameters
};

}  // namespace

Inspection inspect(const Graph& graph) {
  Inspection found;
  Inspector(graph, "", found).run();
  std::ranges::sort(found.params, {}, &StatedParams::tensor);
  return found;
}

}  // namespace assay::quantizer
