// SPDX-License-Identifier: Apache-2.0
// An already quantized model from int8 to uint8 throughout, with the same dequantized values.
//
// Every int8 constant (zero points, weights, bounds of an integer Clip) becomes uint8 by adding 128, which is flipping
// its top bit; zero points that are left out become 128; an int8 Relu becomes a Clip at 128. Scales and int32 biases
// stay. q + 128 saturates at the same real values as q does, so the result equals the input at optimization `none`
// exactly.
#pragma once

#include "engine/ir/graph.h"
#include "engine/quantizer/report.h"

namespace assay::quantizer {

// The graph is valid and sorted. Errors: kInvalidArgument for a model without quantized operators; kUnsupported for an
// int8 graph input or output, a zero point or bound that is computed, or an operator whose int8 arithmetic is not known
// here, each named.
Result<QuantizedGraph> convert_s8_to_u8(const Graph& graph);

}  // namespace assay::quantizer
