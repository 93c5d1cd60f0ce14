// SPDX-License-Identifier: Apache-2.0
// Unary functions of 8-bit tensors as tables of 256 bytes, indexed by the raw byte of x:
//
//   values[byte] = f32(f32(x - x_zero_point) * x_scale)                          lookup_values
//   table[byte]  = QuantizeLinear(f(values[byte]), y_scale, y_zero_point)        lookup_table (linear.h has the
//   rounding)
//
// with f applied by the caller in between: identity (QLinearConcat of unequal parameters), sigmoid, leaky relu.
#pragma once

#include <array>
#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::kernels {

inline constexpr std::size_t kByteValues = 256;
using ByteTable = std::array<std::uint8_t, kByteValues>;
using ByteFloats = std::array<float, kByteValues>;

struct ByteQuantization {
  bool is_signed = false;
  float scale = 1;
  std::int32_t zero_point = 0;
};

ByteFloats lookup_values(const ByteQuantization& x);
ByteTable lookup_table(const ByteFloats& y_values, const ByteQuantization& y);

// f of QLinearSigmoid, f32(1 / f32(1 + exp(-x))), and of QLinearLeakyRelu, x or f32(alpha * x) below 0.
float sigmoid(float x);
float leaky_relu(float x, float alpha);

// y[i] = table[x[i]]; x and y may be the same.
void lookup(const ByteTable& table, const std::uint8_t* x, Index count, std::uint8_t* y);

// y = clamp(x, min, max) on raw integers: Relu and Clip between tensors of one scale and zero point. x and y may be the
// same.
struct ClampArgs {
  const void* x = nullptr;
  bool is_signed = false;
  Index count = 0;
  std::int32_t min = 0;
  std::int32_t max = 255;
  void* y = nullptr;
};
void clamp_bytes(const ClampArgs& args);

}  // namespace assay::kernels
