// SPDX-License-Identifier: Apache-2.0
// Integer 2-d convolution in plain loops (1-d: height 1). A position outside the image holds the zero point of x, which
// takes part in sat16-pairs. For each output the taps are listed in flat order and given to dot():
//   kKernelThenChannel: kernel y, kernel x, input channel (QLinearConv)
//   kChannelThenKernel: input channel, kernel y, kernel x (ConvInteger)
#pragma once

#include "tests/support/oracle/integers.h"
#include "tests/support/oracle/requantize.h"

namespace assay::oracle {

enum class FlatOrder { kKernelThenChannel, kChannelThenKernel };

struct ConvGeometry {
  Index batch = 1;
  Index channels = 1;
  Index height = 1;
  Index width = 1;
  Index outputs = 1;  // M
  Index group = 1;
  Index kernel_h = 1;
  Index kernel_w = 1;
  Index stride_h = 1;
  Index stride_w = 1;
  Index dilation_h = 1;
  Index dilation_w = 1;
  Index pad_top = 0;
  Index pad_left = 0;
  Index pad_bottom = 0;
  Index pad_right = 0;

  Index out_h() const { return (height + pad_top + pad_bottom - (kernel_h - 1) * dilation_h - 1) / stride_h + 1; }
  Index out_w() const { return (width + pad_left + pad_right - (kernel_w - 1) * dilation_w - 1) / stride_w + 1; }
  bool depthwise() const { return group == channels && group == outputs; }
};

struct ConvArgs {
  ConvGeometry geometry;
  Integers x;  // [batch, channels, height, width]
  Integers w;  // [outputs, channels / group, kernel_h, kernel_w]
  std::int32_t x_zero_point = 0;
  Integers w_zero_points;  // none, one, or one per output
  Integers bias;           // none, or one per output
  Arithmetic arithmetic = Arithmetic::kExact;
  FlatOrder order = FlatOrder::kKernelThenChannel;
};

// int32 sums of (x - x_zero_point) * (w - w_zero_point) + bias, wrapped: [batch, outputs, out_h, out_w]. The arithmetic
// is applied as it is given: a depthwise QLinearConv whose weight zero points are all equal is exact, and only u8 x s8
// saturates (QLinearConv: x u8, w s8; ConvInteger: x s8, w u8), which is the caller's to decide.
Integers convolve(const ConvArgs& args);

// QLinearConv: convolve, then requantize with one scale, or one per output.
struct ConvScales {
  float x = 1;
  std::vector<float> w;
  float y = 1;
};
Integers qlinear_conv(const ConvArgs& args, const ConvScales& scales, const OutputType& y);

}  // namespace assay::oracle
