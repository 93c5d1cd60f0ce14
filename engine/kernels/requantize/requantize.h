// SPDX-License-Identifier: Apache-2.0
// int32 accumulators to 8-bit outputs, with zero-point correction, bias and clamp:
//
//   v = acc[i,j] + column_offset[j] - b_zero_point[j] * row_sum[i]                  (wrapping int32)
//   y = clamp(rint(f32(f32(v) * scale[j])) + y_zero_point, clamp_min, clamp_max)    (rint: half to even)
//
// column_offset[j] = bias[j] - a_zero_point * colsum(B)[j] + k * a_zero_point * b_zero_point[j]   (wrapping, by the
// caller) scale[j] = f32(f32(x_scale * w_scale[j]) / y_scale), by the caller, in this order. The int32 is rounded to
// float32 before the product; the zero point is added after rounding. Equal, byte for byte, to ONNX Runtime's
// QLinearConv, QLinearMatMul and QGemm. clamp_min/clamp_max default to the output type's range; a fused Relu or Clip
// narrows them.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/cpu_features.h"
#include "engine/base/dtype.h"
#include "engine/base/profile.h"
#include "engine/kernels/requantize/requantize_args.h"

namespace assay::kernels {

struct RequantizeKernel {
  const char* name;  // requantize_<isa>
  Isa isa;
  void (*rows)(const RequantizeArgs&);  // only for y_column_stride_bytes = 1
};
// Every kernel, best first.
std::span<const RequantizeKernel> requantize_kernels();

// The best kernel at or below the profile's ISA; where `features` lack that ISA, the best that they allow.
const RequantizeKernel& choose_requantize(const Profile& profile, const CpuFeatures& features);

// Any strides.
void requantize(const RequantizeKernel& kernel, const RequantizeArgs& args);

// The same correction without requantization: out[i,j] = v as int32, same strides in elements (MatMulInteger,
// ConvInteger).
struct CorrectArgs {
  Index rows = 0;
  Index columns = 0;
  const std::int32_t* acc = nullptr;
  Index acc_stride = 0;
  const std::int32_t* column_offset = nullptr;
  const std::int32_t* row_sum = nullptr;
  const std::int32_t* b_zero_point = nullptr;
  const std::int32_t* row_zero_point = nullptr;  // [rows] a_zero_point per row, with column_sum; null: in column_offset
  const std::int32_t* column_sum = nullptr;      // [columns] sums of the raw B column
  Index k = 0;                                   // for the k*za*zb term of row_zero_point
  std::int32_t* out = nullptr;
  Index out_row_stride = 0;     // elements
  Index out_column_stride = 1;  // elements
};
void correct(const CorrectArgs& args);

// Sums of the raw bytes of each row, exact: out[i] = sum_p a[i,p].
struct RowSumArgs {
  Index rows = 0;
  Index k = 0;
  const void* a = nullptr;
  Index a_stride_bytes = 0;
  bool a_signed = false;
  std::int32_t* out = nullptr;
};
void row_sums(const RowSumArgs& args);

}  // namespace assay::kernels
