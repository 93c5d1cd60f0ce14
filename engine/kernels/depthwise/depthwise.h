// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of 8-bit images (group = channels = outputs), exact at every level:
//   acc[c,oy,ox] = sum over the kernel of (x - x_zero_point) * (w - w_zero_point[c]) + bias[c]      (wrapping int32)
// A position outside the image counts as x = x_zero_point, so it adds nothing. Zero points lie in the range of their
// operand's type. The sums are stored, or requantized as in kernels/requantize:
//   y[c,oy,ox] = clamp(rint(f32(f32(acc) * scale[c])) + y_zero_point, clamp_min, clamp_max)      (rint: half to even)
// Nothing outside the operands is read or written. Naive version: tests/support/oracle.
#pragma once

#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/profile.h"
#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {

struct DepthwiseKernel {
  const char* name;  // depthwise_<isa>
  Isa isa;
  void (*run)(const DepthwiseArgs&);
};
// Every kernel, best first.
std::span<const DepthwiseKernel> depthwise_kernels();

using DepthwiseChoice = KernelChoice<DepthwiseKernel>;
// The best kernel at or below the profile's ISA; where `features` lack that ISA, the best that they allow.
DepthwiseChoice choose_depthwise(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
