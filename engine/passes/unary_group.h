// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear -> node -> QuantizeLinear with one operand, for the operators of com.microsoft that take
// x, x_scale, x_zero_point, y_scale, y_zero_point.
#pragma once

#include <cstddef>
#include <string>

#include "engine/ir/graph.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

struct UnaryGroup {
  std::size_t position = 0;  // of the float node
  std::string op_type;       // in com.microsoft
  AttributeMap attributes;
  std::string pass;
};

// Fuses if input and output are quantized in the same type; says whether.
bool fuse_unary_group(Graph& graph, const ValueIndex& index, const UnaryGroup& group);

}  // namespace assay::passes
