// SPDX-License-Identifier: Apache-2.0
// The clip with the least information loss (calibration entropy): Kullback-Leibler divergence between the clipped
// values and their 128-level picture, over every clip.
//
// h[b]: counts of |x|, a DyadicHistogram; h[0] := h[1], since 0 is represented exactly whatever the clip and
// the zeros of a Relu would outweigh all else. For every number of bins i = 128 ... bins:
//   P[b] = h[b] for b < i, and P[i - 1] also has what lies beyond, h[i] + h[i + 1] + ...
//   group g of 128 has the bins [g i / 128, (g + 1) i / 128), rounded down
//   Q[b] = sum of h over b's group / number of bins of the group with P != 0, where P[b] != 0
//   KL = sum over P[b] != 0 of p ln(p / q), p = P[b] / sum P, q = Q[b] / sum Q, or 1e-4 where Q[b] = 0
// The least KL wins, of equal ones the widest; t = edges[i]. Range: [-t, t] cut to what was observed, [min, max]; with
// `symmetric` it is not cut. All in double.
//
// With 128 bins there is one candidate and the range is [min, max]: what ONNX Runtime's tool always does, whose entropy
// calibration is min-max calibration under another name.
#pragma once

#include "engine/base/result.h"
#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

inline constexpr Index kEntropyLevels = 128;

// The histogram has at least kEntropyLevels bins and one count.
ValueRange entropy_range(const Histogram& histogram, bool symmetric);

}  // namespace assay::quantizer
