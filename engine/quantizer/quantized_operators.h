// SPDX-License-Identifier: Apache-2.0
// Where the operators of quantized models have their integers, scales and zero points: one table.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::quantizer {

inline constexpr std::size_t kNoInput = 99;

// Positions among a node's inputs.
struct QuantizedOperand {
  std::size_t data = kNoInput;
  std::size_t scale = kNoInput;  // kNoInput: the operator knows no scale
  std::size_t zero_point = kNoInput;
};

struct QuantizedOperator {
  std::string_view op_type;
  std::array<QuantizedOperand, 2> operands;  // unused ones have no data
  std::size_t result_zero_point = kNoInput;  // of the output; its scale is the input in front
};

// Null for an operator that has no quantization parameters.
const QuantizedOperator* find_quantized_operator(std::string_view op_type);

// Those of a node; QLinearConcat has as many as it has inputs for.
std::vector<QuantizedOperand> quantized_operands(const QuantizedOperator& op, const Node& node);

}  // namespace assay::quantizer
