// SPDX-License-Identifier: Apache-2.0
// Gemm as MatMul and Add, for formats that have an integer form of MatMul only.
#pragma once

#include "engine/ir/graph.h"

namespace assay::quantizer {

// Rewrites every Gemm whose B is a constant, whose C is a constant or absent and whose transA is 0:
//   Y = (A * B') + C',  B' = alpha * (B or its transpose), C' = beta * C.
// The MatMul keeps the node's name; B' keeps B's where it equals B. Others are left as they are. Errors: no memory.
Status gemm_to_matmul(Graph& graph);

}  // namespace assay::quantizer
