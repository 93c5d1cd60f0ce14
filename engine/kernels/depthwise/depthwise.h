// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of 8-bit images (group = channels = outputs), exact at every level:
//   acc[c,oy,ox] = sum over the kernel of (x - x_zero_point) * (w - w_zero_point[c]) + bias[c]      (wrapping int32)
// A position outside the image counts as x = x_zero_point, so it adds nothing.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/dtype.h"
#include "engine/base/profile.h"

namespace assay::kernels {

struct DepthwiseArgs {
  const void* x = nullptr;  // one channel: [height, width]
  bool x_signed = false;
  std::int32_t x_zero_point = 0;
  const void* w = nullptr;  // one channel: [kernel_h, kernel_w]
  bool w_signed = true;
  std::int32_t w_zero_point = 0;
  std::int32_t bias = 0;
  Index height = 0;
  Index width = 0;
  Index kernel_h = 1;
  Index kernel_w = 1;
  Index stride_h = 1;
  Index stride_w = 1;
  Index dilation_h = 1;
  Index dilation_w = 1;
  Index pad_top = 0;
  Index pad_left = 0;
  Index out_h = 0;
  Index out_w = 0;
  std::int32_t* acc = nullptr;  // [out_h, out_w]
};

struct DepthwiseKernel {
  const char* name;  // depthwise_<isa>
  Isa isa;
  void (*run)(const DepthwiseArgs&);
};
std::span<const DepthwiseKernel> depthwise_kernels();

struct DepthwiseChoice {
  const DepthwiseKernel* kernel = nullptr;
  bool native = true;
};
DepthwiseChoice choose_depthwise(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
