// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear on spans that share one scale and zero point, and the range of a float span.
//
//   quantize:   q = rint(clamp(f32(x / scale), qmin - zp, qmax - zp)) + zp
//               (a division; half to even; NaN gives qmin)
//   dequantize: x = f32(f32(int32(q - zp)) * scale)                           (int32: q - zp wraps)
//   range:      low = min(0, min x), high = max(0, max x), NaN left out
//
// qmin and qmax are those of the 8-, 16- or 32-bit output type, whatever range calibration used. x and y must not
// overlap. Reads and writes: the elements of the spans, nothing before or behind. Every row gives the same bytes.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/dtype.h"
#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/linear/linear_args.h"

namespace assay::kernels {

struct LinearKernel {
  const char* name;  // linear_<isa>
  Isa isa;           // needs this to run natively
  void (*quantize)(const QuantizeArgs&);
  void (*dequantize)(const DequantizeArgs&);
  FloatRange (*range)(const float* x, std::int64_t count);
};
// Every kernel, best first.
std::span<const LinearKernel> linear_kernels();

using LinearChoice = KernelChoice<LinearKernel>;
LinearChoice choose_linear(const Profile& profile, const CpuFeatures& features);

// The scalar row's functions, for tables and other short spans.
void quantize_linear(const QuantizeArgs& args);
void dequantize_linear(const DequantizeArgs& args);

// Int8, uint8, int16, uint16 or int32; anything else counts as uint8.
LinearType linear_type(DType dtype);

// Parameters of DynamicQuantizeLinear (uint8) for elements of this range:
//   scale = f32(f32(high - low) / 255), 1 if high = low;
//   zp = rint(clamp(f32(0 - f32(low / scale)), 0, 255)), 255 where that is NaN (low = -infinity). NaN elements quantize
//   to 0.
struct DynamicParams {
  float scale = 1;
  std::int32_t zero_point = 0;
};
DynamicParams dynamic_quantize_params(const FloatRange& range);

}  // namespace assay::kernels
