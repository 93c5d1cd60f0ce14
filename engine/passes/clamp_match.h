// SPDX-License-Identifier: Apache-2.0
// Relu and Clip as bounds, in reals and in quantized units.
#pragma once

#include <limits>
#include <optional>

#include "engine/ir/graph.h"
#include "engine/passes/qdq_match.h"

namespace assay::passes {

// y = min(max(x, low), high), so that high wins where low is above it.
struct RealBounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// The bounds of a Relu or Clip on float32 with constant bounds, none of them NaN.
std::optional<RealBounds> match_clamp(const Graph& graph, const Node& node);

// The bounds of a Relu or Clip that runs on integers of this type, within the type's range.
std::optional<IntegerRange> match_integer_clamp(const Graph& graph, const Node& node, DType dtype);

// `second` after `first`: again one clamp, for clamps are monotone.
RealBounds compose(const RealBounds& first, const RealBounds& second);
IntegerRange compose(const IntegerRange& first, const IntegerRange& second);

// QuantizeLinear of one float32: rint(clamp(f32(x / scale), qmin - zp, qmax - zp)) + zp.
Index quantize_value(float value, const Quantization& quantization);

// The clamp in quantized units. QuantizeLinear is monotone for a positive scale, so it can be exchanged with minimum
// and maximum: quantize(min(max(v, low), high)) = min(max(quantize(v), quantize(low)), quantize(high)) for every v.
IntegerRange quantize_bounds(const RealBounds& bounds, const Quantization& quantization);

// Whether the range is that of the type, so that nothing is clamped.
bool is_full_range(const IntegerRange& range, DType dtype);

}  // namespace assay::passes
