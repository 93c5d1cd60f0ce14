// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/quantized_operators.h"

#include <algorithm>
#include <iterator>

namespace assay::quantizer {
namespace {

constexpr QuantizedOperand kFirst = {.data = 0, .scale = 1, .zero_point = 2};
constexpr QuantizedOperand kThird = {.data = 3, .scale = 4, .zero_point = 5};
constexpr QuantizedOperand kIntegerA = {.data = 0, .scale = kNoInput, .zero_point = 2};
constexpr QuantizedOperand kIntegerB = {.data = 1, .scale = kNoInput, .zero_point = 3};

constexpr std::array kRows = {
    QuantizedOperator{"QuantizeLinear", {}, 2},
    QuantizedOperator{"DequantizeLinear", {kFirst}, kNoInput},
    QuantizedOperator{"QLinearConv", {kFirst, kThird}, 7},
    QuantizedOperator{"QLinearMatMul", {kFirst, kThird}, 7},
    QuantizedOperator{"QLinearAdd", {kFirst, kThird}, 7},
    QuantizedOperator{"QLinearMul", {kFirst, kThird}, 7},
    QuantizedOperator{"QGemm", {kFirst, kThird}, 8},
    QuantizedOperator{"QLinearAveragePool", {kFirst}, 4},
    QuantizedOperator{"QLinearGlobalAveragePool", {kFirst}, 4},
    QuantizedOperator{"QLinearLeakyRelu", {kFirst}, 4},
    QuantizedOperator{"QLinearSigmoid", {kFirst}, 4},
    QuantizedOperator{"QLinearSoftmax", {kFirst}, 4},
    QuantizedOperator{"QLinearConcat", {}, 1},  // its operands repeat: see quantized_operands
    QuantizedOperator{"ConvInteger", {kIntegerA, kIntegerB}, kNoInput},
    QuantizedOperator{"MatMulInteger", {kIntegerA, kIntegerB}, kNoInput},
    QuantizedOperator{"MatMulIntegerToFloat", {QuantizedOperand{0, 2, 4}, QuantizedOperand{1, 3, 5}}, kNoInput},
    QuantizedOperator{"DynamicQuantizeLinear", {}, kNoInput},
};

}  // namespace

const QuantizedOperator* find_quantized_operator(std::string_view op_type) {
  const auto* found = std::ranges::find(kRows, op_type, &QuantizedOperator::op_type);
  return found == kRows.end() ? nullptr : found;
}

std::vector<QuantizedOperand> quantized_operands(const QuantizedOperator& op, const Node& node) {
  std::vector<QuantizedOperand> operands;
  if (op.op_type == "QLinearConcat") {
    for (std::size_t i = 2; i < node.inputs.size(); i += 3) {
      operands.push_back({.data = i, .scale = i + 1, .zero_point = i + 2});
    }
    return operands;
  }
  std::ranges::copy_if(op.operands, std::back_inserter(operands),
                       [](const QuantizedOperand& operand) { return operand.data != kNoInput; });
  return operands;
}

}  // namespace assay::quantizer
