// SPDX-License-Identifier: Apache-2.0
// Float operators on float32 operands with every product and sum in double. The result is what an exact implementation
// would round; compare with a tolerance that grows with the number of terms.
#pragma once

#include <vector>

#include "tests/support/oracle/convolution.h"

namespace assay::oracle {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

// [m, k] x [k, n]
Doubles float_matmul(const Floats& a, const Floats& b, Index m, Index n, Index k);

// x [batch, channels, height, width], w [outputs, channels / group, kernel_h, kernel_w], bias none or [outputs].
Doubles float_conv(const ConvGeometry& geometry, const Floats& x, const Floats& w, const Floats& bias);

// Pools over the planes of x with the geometry's kernel; outputs and group play no part. A window that lies wholly in
// the padding gives -infinity (max) or 0 (average).
Doubles float_max_pool(const ConvGeometry& geometry, const Floats& x);
// Divides by the taps inside the image, or with count_include_pad inside the image and its padding.
Doubles float_average_pool(const ConvGeometry& geometry, const Floats& x, bool count_include_pad);

}  // namespace assay::oracle
