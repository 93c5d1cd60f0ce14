// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/convert_s8_to_u8.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "engine/quantizer/name_maker.h"
#include "engine/quantizer/quantized_operators.h"

namespace assay::quantizer {
namespace {

constexpr Index kOnnxUint8 = 2;  // TensorProto.DataType
constexpr Index kOnnxInt8 = 3;

// Operators that only move or select integers; the output has the type of input 0.
constexpr std::array<std::string_view, 11> kMoves = {"Clip", "Concat",  "Flatten",   "Identity", "MaxPool",  "Pad",
                                                     "Relu", "Reshape", "Transpose", "Squeeze",  "Unsqueeze"};

Result<Tensor> plus_128(const Tensor& tensor) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DType::kUint8, tensor.shape()));
  const auto from = tensor.data<std::int8_t>();
  std::transform(from.begin(), from.end(), out.mutable_data<std::uint8_t>().begin(),
                 [](std::int8_t q) { return static_cast<std::uint8_t>(q + 128); });
  return out;
}

class Converter {
 public:
  explicit Converter(const Graph& graph) : graph_(graph), names_(graph) {}

  Result<QuantizedGraph> run() {
    ASSAY_TRY(check_ends());
    for (const ValueInfo& input : graph_.inputs) {
      types_[input.name] = input.dtype;
    }
    for (auto& [name, tensor] : graph_.initializers) {
      types_[name] = tensor.dtype();
    }
    bool any_quantized = false;
    for (Node& node : graph_.nodes) {
      const QuantizedOperator* op = find_quantized_operator(node.op_type);
      any_quantized = any_quantized || op != nullptr;
      const std::size_t before = changes_;
      ASSAY_TRY(op != nullptr ? convert_quantized(node, *op) : convert_other(node));
      result_.nodes.push_back({.node = node.name,
                               .op_type = node.op_type,
                               .quantized = op != nullptr ? !converts(node) : changes_ > before,
                               .reason = changes_ > before ? "int8 became uint8" : "has no int8 operands"});
    }
    if (!any_quantized) {
      return invalid_argument("the model has no quantized operators; quantize it with uint8 types instead");
    }
    ASSAY_TRY(convert_constants());
    note_wrapped_nodes();
    if (changes_ == 0) {
      result_.warnings.emplace_back("nothing to convert: the model has no int8 tensors");
    }
    result_.graph = std::move(graph_);
    return std::move(result_);
  }

 private:
  Status check_ends() const {
    for (const auto* ends : {&graph_.inputs, &graph_.outputs}) {
      for (const ValueInfo& info : *ends) {
        if (info.dtype == DType::kInt8) {
          return unsupported(std::string("graph ") + (ends == &graph_.inputs ? "input" : "output") + " '" + info.name +
                             "' is int8; a conversion to uint8 would change what callers see");
        }
      }
    }
    return {};
  }

  // QDQ form: a float operator between these is one that computes in integers.
  static bool converts(const Node& node) {
    return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear";
  }

  void note_wrapped_nodes() {
    const GraphIndex index(graph_);
    const auto dequantized = [&](const std::string& value) {
      const Index producer = index.producer(value);
      return producer >= 0 && graph_.nodes[static_cast<std::size_t>(producer)].op_type == "DequantizeLinear";
    };
    const auto quantized = [&](const std::string& value) {
      const std::vector<Index>& consumers = index.consumers(value);
      return !consumers.empty() && std::all_of(consumers.begin(), consumers.end(), [&](Index consumer) {
        return graph_.nodes[static_cast<std::size_t>(consumer)].op_type == "QuantizeLinear";
      });
    };
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (!result_.nodes[i].quantized && !converts(node) && !node.inputs.empty() && dequantized(node.input(0)) &&
          std::all_of(node.outputs.begin(), node.outputs.end(), quantized)) {
        result_.nodes[i].quantized = true;
        result_.nodes[i].reason = "stands between DequantizeLinear and QuantizeLinear";
      }
    }
  }

  DType type_of(const std::string& value) const {
    const auto found = types_.find(value);
    return found == types_.end() ? DType::kUndefined : found->second;
  }
  bool is_int8(const Node& node, std::size_t i) const { return type_of(node.input(i)) == DType::kInt8; }

  // The zero point of int8 data: there and constant, or made here.
  Status convert_zero_point(Node& node, std::size_t position, const std::string& scale) {
    ++changes_;
    if (node.input(position).empty()) {
      node.inputs.resize(std::max(node.inputs.size(), position + 1));
      const Tensor* scales = graph_.constant(scale);
      const Shape shape = scales == nullptr ? Shape{} : scales->shape();
      ASSAY_ASSIGN(Tensor zeros, Tensor::allocate(DType::kInt8, shape));
      node.inputs[position] = names_.make(node.name + "_zero_point");
      types_[node.inputs[position]] = DType::kInt8;
      graph_.initializers[node.inputs[position]] = std::move(zeros);
      return {};
    }
    if (graph_.constant(node.input(position)) == nullptr) {
      return unsupported(node_text(graph_, node) + ": zero point '" + node.input(position) +
                         "' is computed; only constant ones can be converted");
    }
    return {};
  }

  Status convert_quantized(Node& node, const QuantizedOperator& op) {
    for (const QuantizedOperand& operand : quantized_operands(op, node)) {
      if (is_int8(node, operand.data)) {
        const std::string scale = op.op_type == "DequantizeLinear" ? node.input(1) : "";
        ASSAY_TRY(convert_zero_point(node, operand.zero_point, scale));
      }
    }
    if (op.result_zero_point == kNoInput || node.input(op.result_zero_point - 1).empty()) {
      return {};  // the result is int32, float32, or uint8 by definition
    }
    const DType result = result_type(node, op);
    for (const std::string& output : node.outputs) {
      types_[output] = result;
    }
    if (result != DType::kInt8) {
      return {};
    }
    if (node.has_attribute("output_dtype")) {
      node.attributes["output_dtype"] = kOnnxUint8;
    }
    return convert_zero_point(node, op.result_zero_point, op.op_type == "QuantizeLinear" ? node.input(1) : "");
  }

  DType result_type(const Node& node, const QuantizedOperator& op) const {
    if (!node.input(op.result_zero_point).empty()) {
      return type_of(node.input(op.result_zero_point));
    }
    if (op.op_type == "QuantizeLinear") {
      return node.int_attribute("output_dtype", 0) == kOnnxInt8 ? DType::kInt8 : DType::kUint8;
    }
    return type_of(node.input(quantized_operands(op, node)[0].data));
  }

  Status convert_other(Node& node) {
    bool any_int8 = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      any_int8 = any_int8 || is_int8(node, i);
    }
    if (!any_int8) {
      return {};
    }
    if (std::find(kMoves.begin(), kMoves.end(), node.op_type) == kMoves.end()) {
      return unsupported(node_text(graph_, node) + ": it computes on int8 tensors in a way that this conversion does " +
                         "not know");
    }
    ++changes_;
    for (const std::string& output : node.outputs) {
      types_[output] = DType::kInt8;
    }
    if (node.op_type == "Relu") {
      node.op_type = "Clip";
      add_constant(node, 1, "min", 0);
    } else if (node.op_type == "Pad" && node.string_attribute("mode", "constant") == "constant" &&
               node.input(2).empty()) {
      add_constant(node, 2, "value", 0);
    }
    const bool takes_settings = node.op_type == "Clip" || node.op_type == "Pad";
    for (std::size_t i = 1; takes_settings && i < node.inputs.size(); ++i) {
      if (is_int8(node, i) && graph_.constant(node.input(i)) == nullptr) {
        return unsupported(node_text(graph_, node) + ": input '" + node.input(i) +
                           "' is computed; only constant ones can be converted");
      }
    }
    return {};
  }

  void add_constant(Node& node, std::size_t position, const std::string& what, std::int8_t value) {
    node.inputs.resize(std::max(node.inputs.size(), position + 1));
    node.inputs[position] = names_.make(node.name + "_" + what);
    types_[node.inputs[position]] = DType::kInt8;
    graph_.initializers[node.inputs[position]] = Tensor::scalar<std::int8_t>(value);
  }

  Status convert_constants() {
    for (auto& [name, tensor] : graph_.initializers) {
      if (tensor.dtype() == DType::kInt8) {
        ASSAY_ASSIGN(tensor, plus_128(tensor));
        ++changes_;
      }
    }
    for (auto& [name, info] : graph_.value_infos) {
      if (info.dtype == DType::kInt8) {
        info.dtype = DType::kUint8;
      }
    }
    return {};
  }

  Graph graph_;
  NameMaker names_;
  std::map<std::string, DType> types_;  // before the conversion
  QuantizedGraph result_;
  std::size_t changes_ = 0;
};

}  // namespace

Result<QuantizedGraph> convert_s8_to_u8(const Graph& graph) { return Converter(graph).run(); }

}  // namespace assay::quantizer
