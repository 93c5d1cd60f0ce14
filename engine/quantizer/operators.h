// SPDX-License-Identifier: Apache-2.0
// The operators that the quantizer knows, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/dtype.h"

namespace assay::quantizer {

enum class Role {
  kWeighted,     // input 0 is an activation, input 1 a weight, input 2 (if any) a bias
  kMatMul,       // two operands; a constant second one is a weight
  kElementwise,  // every input is an activation or a constant quantized like one; the output has its own range
  kUnary,        // input 0 is an activation, the output has its own range; further inputs are settings
  kClamp,        // Relu, Clip: ReluPolicy says what becomes of it
  kShared,       // only moves or selects elements: the output shares the parameters of input 0
};

struct OperatorRow {
  const char* op_type;
  Role role;
  const char* integer_op;      // its form in QOperator format; "" where it has none and is left in float there
  const char* integer_domain;  // the domain of integer_op
};

std::span<const OperatorRow> operator_rows();
// Null for an operator the quantizer does not know.
const OperatorRow* find_operator(const std::string& domain, const std::string& op_type);

}  // namespace assay::quantizer
