// SPDX-License-Identifier: Apache-2.0
// Lifts a float model to opset 13, the first with per-channel DequantizeLinear and 8-bit Clip and MaxPool.
//
// Operators whose form changed are rewritten: axes of Squeeze, Unsqueeze and ReduceSum, sizes of Split, bounds of Clip,
// Slice and Pad and k of TopK become inputs; Upsample and the Resize of opset 10 become today's Resize; a Softmax over
// several trailing axes (its meaning before opset 13) becomes Flatten, Softmax, Reshape. The names of existing values
// stay. Models of opset 13 and later are left alone.
#pragma once

#include "engine/ir/graph.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// `observed` gives the rank of values where the file does not, and receives the ranges of new values. Errors
// (kUnsupported) name a node whose operator cannot be lifted, with the opset to export the model with instead.
Status upgrade_opset(Graph& graph, RangeTable& observed);

}  // namespace assay::quantizer
