// SPDX-License-Identifier: Apache-2.0
// Additions of a constant behind Conv, Gemm and MatMul become the bias of these (quantizer.fuse_bias), which is stored
// in int32 and costs no quantization step of its own.
//
//   Conv + c:   b := b + c                 c of one value per output channel, or a single one
//   Gemm + c:   C := beta * C + c, beta := 1
//   MatMul + c: Gemm(A, B, c)              A of rank 2 and B a constant of rank 2
//
// in float32, rounded once. The product keeps its name; its output has the sum's. Left alone: a product that others use
// too, and what the options speak of by itself (nodes that are not to be quantized, overrides of the tensors between).
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

// A line for each fusion. The graph is sorted and stays so.
Result<std::vector<std::string>> fuse_bias(Graph& graph, const Options& options);

}  // namespace assay::quantizer
