// SPDX-License-Identifier: Apache-2.0
// The clip with the least mean squared quantization error (calibration mse).
//
// The histogram is a signed DyadicHistogram. Error of a range: sum over the bins of count * (c - fq(c))^2, c the bin's
// middle (inside [min, max]), fq the quantization that choose_params gives the range (scale and zero point, saturated
// to qmin..qmax, all in double). Where a step is narrower than a bin (16-bit types), what lies inside the range has the
// error step^2 / 12 instead. Candidates, K = 128, k = 1 ... K; the least error wins, of equal ones the widest:
//   symmetric: [-m k / K, m k / K], m = max(|min|, |max|)
//   else:      first [min k / K, max k / K]; then, twice, the upper end alone over max k / K and the lower end alone
//   over
//              min k / K, the other end being the best so far. An end that is 0 stays.
// min and max are those observed, widened to contain 0.
#pragma once

#include "engine/quantizer/calibration/histogram.h"
#include "engine/quantizer/range_arithmetic.h"
#include "engine/quantizer/range_table.h"

namespace assay::quantizer {

// `scheme`: how the tensor will be quantized; a symmetric one makes the range symmetric.
ValueRange mse_range(const Histogram& histogram, const RangeScheme& scheme);

}  // namespace assay::quantizer
