// SPDX-License-Identifier: Apache-2.0
// QLinearAveragePool and QLinearGlobalAveragePool on 8-bit planes [height, width]; x and y share one type.
//
//   average: sum = float32 sum, in row-major order of the taps, of f32(f32(x - x_zero_point) * x_scale); padding adds
//   nothing
//            y = clamp(rint(f32(f32(f32(sum / count) / y_scale) + y_zero_point)))
//            count = taps inside the image, or, with count_include_pad, inside the image and its padding
//   global:  s = f32(x_scale / f32(y_scale * n)), n = height * width
//            y = clamp(rint(f32(f32(sum of (x - x_zero_point)) * s)) + y_zero_point)        (the sum wraps in int32)
//
// rint is half to even; in `average` the zero point takes part in the rounding, in `global` it does not. A window
// without any tap (count 0) gives y_zero_point; a NaN gives the type's minimum. Equal, byte for byte, to ONNX
// Runtime's.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::kernels {

struct PoolQuantization {
  bool is_signed = false;
  float x_scale = 1;
  std::int32_t x_zero_point = 0;
  float y_scale = 1;
  std::int32_t y_zero_point = 0;
};

struct AveragePoolArgs {
  const void* x = nullptr;  // [planes, height, width]
  void* y = nullptr;        // [planes, out_h, out_w]
  Index planes = 1;
  Index height = 1;
  Index width = 1;
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
  Index out_h = 1;
  Index out_w = 1;
  bool count_include_pad = false;
  PoolQuantization quantization = {};
};
void qlinear_average_pool(const AveragePoolArgs& args);

struct GlobalAveragePoolArgs {
  const void* x = nullptr;  // plane p: size elements, step bytes apart, from x + p * plane_stride
  void* y = nullptr;        // [planes]
  Index planes = 1;
  Index size = 1;          // height * width
  Index plane_stride = 1;  // bytes: size for channel-first images, 1 for channel-last ones
  Index step = 1;          // bytes: 1, or the number of channels
  PoolQuantization quantization = {};
};
void qlinear_global_average_pool(const GlobalAveragePoolArgs& args);

}  // namespace assay::kernels
