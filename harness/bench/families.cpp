// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "harness/bench/family.h"

namespace assay::bench {

std::span<const Family> families() {
  static constexpr std::array<Family, 14> kFamilies{{
      {"peak", "dot products on registers alone: the ceiling of each instruction mix", peak_rows},
      {"gemm", "integer matrix products, every kernel that this CPU runs", gemm_rows},
      {"depthwise", "depthwise convolution of every channel of an image", depthwise_rows},
      {"requantize", "int32 accumulators to 8 bits", requantize_rows},
      {"linear", "QuantizeLinear, DequantizeLinear and the range of dynamic quantization", linear_rows},
      {"elementwise", "QLinearAdd and QLinearMul", elementwise_rows},
      {"lookup", "functions of bytes by table, and clamps", lookup_rows},
      {"pool", "average, maximum and global average pools", pool_rows},
      {"softmax", "softmax of floats and of bytes", softmax_rows},
      {"im2col", "patches of an image as matrix rows", im2col_rows},
      {"operators", "models of one operator, with everything around its kernel", operator_rows},
      {"emulation", "operators under every profile as a CPU with AVX2 alone runs them", emulation_rows},
      {"networks", "the bundled networks, float and int8, under each profile", network_rows},
      {"onednn", "oneDNN's u8 x s8 matrix product, a peer", onednn_rows},
  }};
  return kFamilies;
}

}  // namespace assay::bench
