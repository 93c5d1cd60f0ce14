// SPDX-License-Identifier: Apache-2.0
// The bias of an integer product: int32, in units of its accumulators.
#pragma once

#include <optional>
#include <string>

#include "engine/ir/graph.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

// The name of the int32 bias behind `value`, a float32 [channels], [1, channels] or scalar that is added to a product
// of `x` (per tensor) and `w` (per tensor or per output channel):
//   - a DequantizeLinear of int32 with zero point 0 whose scale is x_scale * w_scale[channel] within a relative 1e-6
//     (a quantizer rounds that product once or twice): the integers themselves;
//   - a constant float32: a new constant rint(bias / (x_scale * w_scale[channel])), off by at most half a unit of the
//     accumulator.
// Null where it is neither, or an element does not fit into int32.
std::optional<std::string> match_bias(Graph& graph, const ValueIndex& index, const std::string& value,
                                      const Quantization& x, const Quantization& w);

}  // namespace assay::passes
