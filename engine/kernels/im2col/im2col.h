// SPDX-License-Identifier: Apache-2.0
// Patches of an NCHW (or NCW, as h = 1) 8-bit image as rows of a matrix, for convolution as a matrix product.
//
// Row = output position (oy * out_w + ox). Column order:
//   kKernelThenChannel: (kernel y, kernel x, channel), channel fastest - QLinearConv
//   kChannelThenKernel: (channel, kernel y, kernel x), kernel x fastest - ConvInteger
// Positions outside the image hold `pad_value`, the raw zero point: it takes part in pair saturation.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::kernels {

enum class PatchOrder { kKernelThenChannel, kChannelThenKernel };

struct Im2colArgs {
  const std::uint8_t* image = nullptr;  // one sample, one group: [channels, height, width], raw bytes
  Index channels = 0;
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
  std::uint8_t pad_value = 0;
  PatchOrder order = PatchOrder::kKernelThenChannel;
  std::uint8_t* rows = nullptr;  // [out_h*out_w, row_stride_bytes], at least channels*kernel_h*kernel_w used
  Index row_stride_bytes = 0;
};

void im2col(const Im2colArgs& args);

}  // namespace assay::kernels
