// SPDX-License-Identifier: Apache-2.0
// QLinearAveragePool, QLinearGlobalAveragePool and MaxPool on 8-bit planes [height, width]; x and y share one type.
//
//   average: sum = float32 sum, in row-major order of the taps, of f32(f32(x - x_zero_point) * x_scale); padding adds
//            nothing; y = clamp(rint(f32(f32(f32(sum / count) / y_scale) + y_zero_point)))
//            count = taps inside the image, or, with count_include_pad, all taps of the kernel, also those beyond the
//            padding, where ceil_mode lets a window reach
//   global:  s = f32(x_scale / f32(y_scale * n)), n = height * width
//            y = clamp(rint(f32(f32(sum of (x - x_zero_point)) * s)) + y_zero_point)        (the sum wraps in int32)
//   max:     the largest integer inside the image; the type's minimum where a window has none
//
// rint is half to even; in `average` the zero point takes part in the rounding, in `global` it does not. In `average` a
// window without any tap (count 0) gives y_zero_point; a NaN gives the type's minimum. Equal, byte for byte, to ONNX
// Runtime's. Reads and writes: the planes, nothing before or behind. Every row gives the same bytes.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/dtype.h"
#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/pool/pool_args.h"

namespace assay::kernels {

struct PoolGeometry {
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
  Index out_h = 1;
  Index out_w = 1;
};

struct AveragePoolArgs {
  const void* x = nullptr;  // [planes, height, width]
  void* y = nullptr;        // [planes, out_h, out_w]
  PoolGeometry geometry = {};
  bool count_include_pad = false;
  PoolQuantization quantization = {};
};

struct MaxPoolArgs {
  const void* x = nullptr;  // [planes, height, width]
  void* y = nullptr;        // [planes, out_h, out_w]
  PoolGeometry geometry = {};
  bool is_signed = false;
};

struct PoolKernel {
  const char* name;  // pool_<isa>
  Isa isa;           // needs this to run natively
  void (*average)(const AveragePoolArgs&);
  void (*global_average)(const GlobalAveragePoolArgs&);
  void (*max)(const MaxPoolArgs&);
};
// Every kernel, best first.
std::span<const PoolKernel> pool_kernels();

using PoolChoice = KernelChoice<PoolKernel>;
PoolChoice choose_pool(const Profile& profile, const CpuFeatures& features);

}  // namespace assay::kernels
