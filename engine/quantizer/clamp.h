// SPDX-License-Identifier: Apache-2.0
// Relu and Clip as clamps, and when a quantization does their work.
//
// Quantizing is monotone, so q(clamp(v, lo, hi)) = clamp(q(v), q(lo), q(hi)) for every v. Hence
//   - a clamp in front of a quantization may be left out exactly if q(lo) and q(hi) are the smallest and the largest
//     value of the TYPE, to which QuantizeLinear saturates (Relu: the zero point is the type's smallest value). The
//     ends of a narrower range, such as -127 in int8, do not count: -128 is still reachable;
//   - otherwise clamping the integers to [q(lo), q(hi)] gives the same bytes.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "engine/ir/graph.h"
#include "engine/quantizer/range_arithmetic.h"

namespace assay::quantizer {

struct ClampBounds {
  float min = -std::numeric_limits<float>::infinity();
  float max = std::numeric_limits<float>::infinity();
};

// The bounds of a Relu or Clip node (both forms of Clip); nothing where they are not constant, not float32 or NaN.
// min > max clamps everything to max, as the standard says.
std::optional<ClampBounds> clamp_bounds(const Graph& graph, const Node& node);

// The single clamp that equals `first`, then `second`.
ClampBounds compose(const ClampBounds& first, const ClampBounds& second);

// [q(min), q(max)].
IntegerRange quantized_bounds(const ClampBounds& bounds, const QuantParams& params);

// Whether quantizing with `params` clamps to `bounds` by itself.
bool clamps_by_itself(const ClampBounds& bounds, const QuantParams& params);

// Why clamps_by_itself says what it says: "zero point 128 is not the type's smallest value 0" (Relu), "the quantized
// range [0, 7] is not cut at the bounds [0, 6]" (Clip).
std::string clamp_reason(const ClampBounds& bounds, const QuantParams& params);

}  // namespace assay::quantizer
