// SPDX-License-Identifier: Apache-2.0
// The two formats. Both compute the same quantized model; they differ in how it is written.
//
// QDQ: every quantized value passes QuantizeLinear and DequantizeLinear, weights and biases are integers behind a
// DequantizeLinear, and the operators between them stay float operators.
// QOperator: quantized nodes become integer operators (QLinearConv, com.microsoft.QGemm, integer MaxPool ...); a kept
// clamp becomes an integer Clip. A quantized node without an integer form for its case (parameters that differ where
// the operator only moves bytes, mixed 8-bit types, dilated AveragePool) is computed in float between DequantizeLinear
// and QuantizeLinear. Graph inputs and outputs stay float32 in both.
#pragma once

#include "engine/quantizer/plan.h"
#include "engine/quantizer/report.h"

namespace assay::quantizer {

// Fills graph, warnings and the weights' reports of the result.
Result<QuantizedGraph> emit_qdq(const Graph& graph, const Plan& plan, const Options& options);
Result<QuantizedGraph> emit_qoperator(const Graph& graph, const Plan& plan, const Options& options);

}  // namespace assay::quantizer
