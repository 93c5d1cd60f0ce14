// SPDX-License-Identifier: Apache-2.0
// Shapes of matrix products, [m, k] times [k, n]: round ones, and layers of networks as their papers give them.
#pragma once

#include <span>
#include <string>

#include "engine/base/dtype.h"

namespace assay::bench {

struct GemmShape {
  const char* name;  // "" for the round ones
  Index m = 1;
  Index n = 1;
  Index k = 1;
};
// A convolution is the product that it is after im2col: m output pixels, n output channels, k input channels times
// taps.
std::span<const GemmShape> gemm_shapes();

// "256x256x256", "resnet50_conv1_12544x64x147".
std::string shape_name(const GemmShape& shape);

}  // namespace assay::bench
