// SPDX-License-Identifier: Apache-2.0
// Models of one quantized node, with seeded weights. scripts/bench-peers makes the same ones for other runtimes.
#pragma once

#include "engine/api/model.h"
#include "harness/bench/gemm_shapes.h"

namespace assay::bench {

// A square image and kernel; padding keeps the size at stride 1.
struct ConvShape {
  const char* name;
  Index channels = 1;
  Index outputs = 1;
  Index size = 1;
  Index kernel = 1;
  Index stride = 1;
  Index groups = 1;
};

enum class ActivationType { kUint8, kInt8 };

// uint8 activations with zero point 128, int8 weights per channel with a bias.
Result<api::Model> qlinear_conv(const ConvShape& shape);
// uint8 times int8, per tensor.
Result<api::Model> qlinear_matmul(const GemmShape& shape);
// int8 weights, zero point 128 of uint8 activations and 0 of int8 ones.
Result<api::Model> matmul_integer(const GemmShape& shape, ActivationType activation);

}  // namespace assay::bench
