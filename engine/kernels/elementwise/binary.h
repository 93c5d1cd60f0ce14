// SPDX-License-Identifier: Apache-2.0
// QLinearAdd and QLinearMul on 8-bit spans; a, b and y share one type. Zero points a_z, b_z, y_z; scales a_s, b_s, y_s.
// Every step rounds to float32 (f32), rint is half to even, and the zero point of y takes part in the rounding:
//
//   add:  ra = f32(a_s / y_s), rb = f32(b_s / y_s)
//     fused:   c = f32(y_z - fma(ra, a_z, f32(rb * b_z))),            v = fma(a, ra, fma(b, rb, c))
//     unfused: c = f32(y_z - f32(f32(ra * a_z) + f32(rb * b_z))),     v = f32(f32(b * rb) + f32(f32(a * ra) + c))
//   mul:  v = f32(f32(f32((a - a_z) * (b - b_z)) * f32(f32(a_s * b_s) / y_s)) + y_z)
//   y = clamp(rint(v)) to the range of the type; a NaN gives its minimum.
//
// Equal, byte for byte, to ONNX Runtime's com.microsoft QLinearAdd (fused where uses_fma(isa)) and QLinearMul.
// An operand with step 0 is one element for the whole span, so that a caller broadcasts span by span.
// Reads and writes: the elements of the spans, nothing before or behind. Every row gives the same bytes.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/dtype.h"
#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/elementwise/binary_args.h"

namespace assay::kernels {

struct BinaryKernel {
  const char* name;  // binary_<isa>
  Isa isa;           // needs this to run natively
  void (*add_fused)(const BinaryArgs&);
  void (*add_unfused)(const BinaryArgs&);
  void (*mul)(const BinaryArgs&);
};
// Every kernel, best first.
std::span<const BinaryKernel> binary_kernels();

using BinaryChoice = KernelChoice<BinaryKernel>;
BinaryChoice choose_binary(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
