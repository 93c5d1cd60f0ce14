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
#include <span>

#include "engine/base/dtype.h"
#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/elementwise/lookup_args.h"

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

// Kernels on spans; x and y may be the same, but not overlap otherwise. Reads and writes: the elements of the spans,
// nothing before or behind. Every row gives the same bytes.
//   lookup: y[i] = table[x[i]]
//   clamp:  y[i] = min(max(x[i], args.min), args.max) on raw integers, min and max in the type's range, min <= max:
//           Relu and Clip between tensors of one scale and zero point
struct LookupKernel {
  const char* name;  // lookup_<isa>
  Isa isa;           // needs this to run natively
  void (*lookup)(const LookupArgs&);
  void (*clamp)(const ClampArgs&);
};
// Every kernel, best first.
std::span<const LookupKernel> lookup_kernels();

using LookupChoice = KernelChoice<LookupKernel>;
LookupChoice choose_lookup(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
