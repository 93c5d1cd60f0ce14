// SPDX-License-Identifier: Apache-2.0
// The dynamic format: weights are integers in the file, activations become integers while the model runs.
//
// x -> DynamicQuantizeLinear (one per value) -> MatMulInteger or ConvInteger -> DequantizeLinear of the int32 sums with
// scale f32(x_scale * w_scale) -> Add of the float bias. The DequantizeLinear computes what Cast and Mul would, in one
// node. MatMul may have one scale per column; Gemm becomes MatMul and Add first.
#pragma once

#include "engine/ir/graph.h"
#include "engine/quantizer/options.h"
#include "engine/quantizer/report.h"

namespace assay::quantizer {

// The graph is sorted, float and of opset 13 or later. Quantizes Conv and MatMul with constant weights (and MatMul of
// two computed operands unless quantizer.matmul_const_only); LSTM and others stay float with their reason in `nodes`.
Result<QuantizedGraph> emit_dynamic(const Graph& graph, const Options& options);

}  // namespace assay::quantizer
