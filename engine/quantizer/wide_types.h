// SPDX-License-Identifier: Apache-2.0
// 4- and 16-bit integers, float16 and scales per block: what QuantizeLinear and DequantizeLinear have from opset 21 on.
#pragma once

#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"

namespace assay::quantizer {

// Whether the options ask for such types, by themselves or in an override, or the model has float16 tensors, whose
// quantization came with opset 19.
bool needs_opset_21(const Graph& graph, const Options& options);

// Lifts a float model of opset 13 to 20 to 21. Axes of reductions become inputs, a Split by number gets num_outputs.
// Errors (kUnsupported) name a node whose meaning changed in a way that this does not rewrite.
Status lift_to_opset_21(Graph& graph);

}  // namespace assay::quantizer
