// SPDX-License-Identifier: Apache-2.0
// The element-wise integer operators, one value at a time, each step in float32 as recorded from ONNX Runtime.
#pragma once

#include "tests/support/oracle/requantize.h"

namespace assay::oracle {

struct Scaled {
  std::int32_t value = 0;
  float scale = 1;
  std::int32_t zero_point = 0;
};

// Scale and type of the result.
struct ScaledOutput {
  float scale = 1;
  OutputType type;
};

std::int32_t qlinear_add(const Scaled& a, const Scaled& b, const ScaledOutput& y, bool fused);
std::int32_t qlinear_mul(const Scaled& a, const Scaled& b, const ScaledOutput& y);

// The average of x over a window with `padding` further taps that count but add nothing, and over a whole plane.
std::int32_t qlinear_average(const Integers& x, Index padding, const Scaled& parameters, const ScaledOutput& y);
std::int32_t qlinear_global_average(const Integers& x, const Scaled& parameters, const ScaledOutput& y);

}  // namespace assay::oracle
