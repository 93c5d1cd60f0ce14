// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/linear/linear.h"

namespace assay::kernels {

FloatRange float_range_scalar(const float* x, std::int64_t count);
#if ASSAY_HAVE_X86
void quantize_linear_avx2(const QuantizeArgs& args);
void dequantize_linear_avx2(const DequantizeArgs& args);
FloatRange float_range_avx2(const float* x, std::int64_t count);
void quantize_linear_avx512(const QuantizeArgs& args);
void dequantize_linear_avx512(const DequantizeArgs& args);
FloatRange float_range_avx512(const float* x, std::int64_t count);
#endif
#if ASSAY_HAVE_AARCH64
void quantize_linear_neon(const QuantizeArgs& args);
void dequantize_linear_neon(const DequantizeArgs& args);
FloatRange float_range_neon(const float* x, std::int64_t count);
#endif

namespace {

constexpr LinearKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"linear_avx512", Isa::kAvx512, quantize_linear_avx512, dequantize_linear_avx512, float_range_avx512},
    {"linear_avx2", Isa::kAvx2, quantize_linear_avx2, dequantize_linear_avx2, float_range_avx2},
#endif
#if ASSAY_HAVE_AARCH64
    {"linear_neon", Isa::kNeon, quantize_linear_neon, dequantize_linear_neon, float_range_neon},
#endif
    {"linear_scalar", Isa::kScalar, quantize_linear, dequantize_linear, float_range_scalar},
};

}  // namespace

std::span<const LinearKernel> linear_kernels() { return kKernels; }

LinearChoice choose_linear(const Profile& profile, const CpuFeatures& features) {
  return choose_kernel(linear_kernels(), profile, features);
}

LinearType linear_type(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt4:  // a byte each in memory; its range is QuantizeLinear's matter, not this one's
      return LinearType::kInt8;
    case DType::kInt16:
      return LinearType::kInt16;
    case DType::kUint16:
      return LinearType::kUint16;
    case DType::kInt32:
      return LinearType::kInt32;
    default:
      return LinearType::kUint8;
  }
}

}  // namespace assay::kernels
