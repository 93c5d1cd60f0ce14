// SPDX-License-Identifier: Apache-2.0
// The range that keeps a share of the values (calibration percentile).
//
// cdf[i] = sum of the first i + 1 counts, each divided by the total, in double. first(p) = the first i with cdf[i] >= p
// (the number of bins if there is none); the range ends at the lower edge of that bin, edges[first(p)].
//   asymmetric: histogram kSigned;    c = (100 - percentile) / 200: [edges[first(c)], edges[first(1 - c)]]
//   symmetric:  histogram kMagnitude; t = edges[first(percentile / 100)]: [-t, t]
// Either is then cut to what was observed, [min, max]. This is what ONNX Runtime's tool computes, with one exception:
// where the cut range would end before it begins (a constant lies above the lower edge of its bin), it is [min, max].
#pragma once

#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// 0 <= percentile <= 100; the histogram has at least one count.
ValueRange percentile_range(const Histogram& histogram, double percentile, bool symmetric);

}  // namespace assay::quantizer
