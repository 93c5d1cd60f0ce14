// SPDX-License-Identifier: Apache-2.0
// Operators that only choose or move elements of their first input, so that they can be exchanged with QuantizeLinear
// and DequantizeLinear per tensor: both act on single elements, and minimum and maximum commute with monotone
// functions. The other inputs are parameters.
#pragma once

#include "engine/ir/graph.h"

namespace assay::passes {

// DepthToSpace, Expand, Flatten, Gather, GatherElements, MaxPool, ReduceMax, ReduceMin, Reshape, Resize (nearest, and
// not tf_crop_and_resize, which puts a value of its own outside), Slice, SpaceToDepth, Squeeze, Tile, Transpose and
// Unsqueeze, from the opset on that lets them run on 8-bit integers.
bool is_movement(const Graph& graph, const Node& node);

// Those of them that QuantizeLinear and DequantizeLinear are moved across one at a time. The others, which repeat
// elements or pick few of them, run on integers where both sides of them are quantized.
bool is_propagated_movement(const Graph& graph, const Node& node);

}  // namespace assay::passes
