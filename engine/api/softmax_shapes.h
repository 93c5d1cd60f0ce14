// SPDX-License-Identifier: Apache-2.0
// Before opset 13 Softmax works over all axes from one on, so that lifting it (engine/quantizer/upgrade_opset.h) takes
// the shape of its operand.
#pragma once

#include "engine/ir/graph.h"

namespace assay::api {

// Writes down the shapes of Softmax operands that the file leaves out and the operators in front decide.
void state_softmax_shapes(Graph& graph);

}  // namespace assay::api
