// SPDX-License-Identifier: Apache-2.0
// Operators that only choose or move elements of their first input, so that they can be exchanged with QuantizeLinear
// and DequantizeLinear per tensor: both act on single elements, and maximum commutes with monotone functions.
#pragma once

#include "engine/ir/graph.h"

namespace assay::passes {

// MaxPool (opset 12 on, where it takes 8-bit integers), Reshape, Transpose, Flatten (9 on), Squeeze, Unsqueeze. The
// other inputs are parameters.
bool is_movement(const Graph& graph, const Node& node);

}  // namespace assay::passes
