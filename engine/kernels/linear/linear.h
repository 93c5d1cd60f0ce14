// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear on spans that share one scale and zero point.
//
//   quantize:   q = rint(clamp(f32(x / scale), qmin - zp, qmax - zp)) + zp    (a division; half to even; NaN gives
//   qmin) dequantize: x = f32(f32(int32(q - zp)) * scale)                           (int32: q - zp wraps)
//
// qmin and qmax are those of the 8-, 16- or 32-bit output type, whatever range calibration used.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::kernels {

struct QuantizeArgs {
  const float* x = nullptr;
  Index count = 0;
  float scale = 1;
  std::int32_t zero_point = 0;
  DType y_type = DType::kUint8;  // int8, uint8, int16, uint16
  void* y = nullptr;
};
void quantize_linear(const QuantizeArgs& args);

struct DequantizeArgs {
  const void* x = nullptr;
  DType x_type = DType::kUint8;  // int8, uint8, int16, uint16, int32
  Index count = 0;
  float scale = 1;
  std::int32_t zero_point = 0;
  float* y = nullptr;
};
void dequantize_linear(const DequantizeArgs& args);

// Range and parameters of DynamicQuantizeLinear (uint8):
//   lo = min(0, min x), hi = max(0, max x); scale = f32(f32(hi - lo) / 255), 1 if hi = lo;
//   zp = rint(clamp(f32(0 - f32(lo / scale)), 0, 255)), 255 where that is NaN (lo = -infinity). NaN elements are left
//   out of lo and hi and quantize to 0.
struct DynamicParams {
  float scale = 1;
  std::int32_t zero_point = 0;
};
DynamicParams dynamic_quantize_params(const float* x, Index count);

}  // namespace assay::kernels
