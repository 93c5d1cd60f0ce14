// SPDX-License-Identifier: Apache-2.0
// Patches of an 8-bit image (1-d: of height 1) as rows of a matrix, for convolution as a matrix product.
//
// Row = output position (oy * out_w + ox). Columns and the image they come from:
//   im2col_channel_last:  (kernel y, kernel x, channel), channel fastest; image [height, width, channels] - QLinearConv
//   im2col_channel_first: (channel, kernel y, kernel x), kernel x fastest; image [channels, height, width] -
//   ConvInteger
// Positions outside the image hold `pad_value`, the raw zero point: it takes part in pair saturation. Nothing but the
// image is read and nothing but the columns of the rows is written.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/dtype.h"
#include "engine/base/profile.h"
#include "engine/kernels/im2col/im2col_args.h"

namespace assay::kernels {

struct Im2colArgs {
  const std::uint8_t* image = nullptr;  // one sample, one group, raw bytes
  Index channels = 0;
  Index height = 0;
  Index width = 0;
  Index kernel_h = 1;
  Index kernel_w = 1;
  Index stride_h = 1;
  Index stride_w = 1;
  Index dilation_h = 1;
  Index dilation_w = 1;
  Index pad_top = 0;  // negative: the first position starts inside the image
  Index pad_left = 0;
  Index out_h = 0;
  Index out_w = 0;
  std::uint8_t pad_value = 0;
  std::uint8_t* rows = nullptr;  // [out_h*out_w, row_stride_bytes], channels*kernel_h*kernel_w used
  Index row_stride_bytes = 0;
};

struct Im2colKernel {
  const char* name;  // im2col_<isa>
  Isa isa;
  void (*copy)(const StretchArgs&);
};
// Every kernel, best first.
std::span<const Im2colKernel> im2col_kernels();

// The best kernel at or below the profile's ISA; where `features` lack that ISA, the best that they allow.
const Im2colKernel& choose_im2col(const Profile& profile, const CpuFeatures& features);

void im2col_channel_last(const Im2colKernel& kernel, const Im2colArgs& args);
void im2col_channel_first(const Im2colKernel& kernel, const Im2colArgs& args);

}  // namespace assay::kernels
