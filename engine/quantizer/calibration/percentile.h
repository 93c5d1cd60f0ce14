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

#include <optional>

#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/calibration/tail.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// 0 <= percentile <= 100; the histogram has at least one count.
ValueRange percentile_range(const Histogram& histogram, double percentile, bool symmetric);

// The same range without counts, for even bins over all elements (one collection): first(p) is the bin of the element
// with the rank ceil(p N) of N. The sums of shares are not exact (an error of up to `bins` roundings), so where ranks
// that near to each other lie in different bins, nobody but the sum itself can tell: nothing. Nothing, too, where the
// tails do not reach that far.
struct PercentileTails {
  const Tail* largest = nullptr;   // of the elements; symmetric: of their magnitudes
  const Tail* smallest = nullptr;  // not with symmetric
  std::uint64_t count = 0;         // N: finite elements, at least 1
  float min = 0;
  float max = 0;
};
std::optional<ValueRange> percentile_range(const PercentileTails& tails, std::span<const float> edges,
                                           double percentile, bool symmetric);
// How many elements a tail should keep, for about a thousand samples of `elements` elements: their number without the
// share that the range keeps, but not more than a quarter of a sample.
Index percentile_tail_capacity(double percentile, bool symmetric, Index elements);

}  // namespace assay::quantizer
