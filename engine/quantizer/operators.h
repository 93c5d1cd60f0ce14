// SPDX-License-Identifier: Apache-2.0
// The operators that the quantizer knows, in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/quantizer/options.h"

namespace assay::quantizer {

enum class Role {
  kNone,           // stays float
  kWeighted,       // input 0 is an activation, input 1 a weight, input 2 (if any) a bias
  kMatMul,         // two operands, of which constant ones are weights
  kNormalization,  // as kWeighted, but the weight is the scale of a normalization
  kElementwise,    // every float input is an activation or a constant quantized like one; outputs have their own ranges
  kUnary,          // input 0 is an activation, the output has its own range; further inputs are settings
  kFollower,       // as kUnary, but only behind a quantized value
  kClamp,          // Relu, Clip: ReluPolicy says what becomes of it
  kShared,         // only moves or selects elements: the output shares the parameters of input 0
  kGather,         // as kShared, and quantizes a constant input 0
  kSplit,          // as kShared for every output, and quantizes input 0 itself
  kPad,            // kSplit where the padding is 0 or taken from the input, else kUnary
  kWhere,          // inputs 1 and 2 where both are quantized values; the output has its own range
};

struct OperatorRow {
  const char* op_type;
  Role qdq;                    // in QDQ format
  Role qoperator;              // in QOperator format
  const char* integer_op;      // its form in QOperator format; "" where it has none
  const char* integer_domain;  // the domain of integer_op
};

std::span<const OperatorRow> operator_rows();
// Null for an operator that is quantized only where quantizer.op_types names it.
const OperatorRow* find_operator(const std::string& domain, const std::string& op_type);

// The role of a node in a format. An operator outside the table that op_types names is kElementwise in QDQ.
Role role_of(const std::string& domain, const std::string& op_type, const Options& options);

// Whether outputs of such nodes share the parameters of input 0 (kPad: depends on the node).
inline bool shares_parameters(Role role) {
  return role == Role::kShared || role == Role::kGather || role == Role::kSplit;
}

}  // namespace assay::quantizer
