// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/lookup.h"

#include <cmath>

#include "engine/kernels/linear/linear.h"

namespace assay::kernels {

void lookup_scalar(const LookupArgs& args);
void clamp_bytes_scalar(const ClampArgs& args);
#if ASSAY_HAVE_X86
void lookup_avx2(const LookupArgs& args);
void clamp_bytes_avx2(const ClampArgs& args);
void lookup_avx512(const LookupArgs& args);
void clamp_bytes_avx512(const ClampArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void lookup_neon(const LookupArgs& args);
void clamp_bytes_neon(const ClampArgs& args);
#endif

namespace {

LinearType byte_type(bool is_signed) { return is_signed ? LinearType::kInt8 : LinearType::kUint8; }

constexpr LookupKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"lookup_avx512", Isa::kAvx512, lookup_avx512, clamp_bytes_avx512},
    {"lookup_avx2", Isa::kAvx2, lookup_avx2, clamp_bytes_avx2},
#endif
#if ASSAY_HAVE_AARCH64
    {"lookup_neon", Isa::kNeon, lookup_neon, clamp_bytes_neon},
#endif
    {"lookup_scalar", Isa::kScalar, lookup_scalar, clamp_bytes_scalar},
};

}  // namespace

ByteFloats lookup_values(const ByteQuantization& x) {
  ByteTable bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i);
  }
  ByteFloats out{};
  dequantize_linear({.x = bytes.data(),
                     .x_type = byte_type(x.is_signed),
                     .count = static_cast<Index>(bytes.size()),
                     .scale = x.scale,
                     .zero_point = x.zero_point,
                     .y = out.data()});
  return out;
}

ByteTable lookup_table(const ByteFloats& y_values, const ByteQuantization& y) {
  ByteTable out{};
  quantize_linear({.x = y_values.data(),
                   .count = static_cast<Index>(y_values.size()),
                   .scale = y.scale,
                   .zero_point = y.zero_point,
                   .y_type = byte_type(y.is_signed),
                   .y = out.data()});
  return out;
}

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

float leaky_relu(float x, float alpha) { return x < 0.0F ? x * alpha : x; }

std::span<const LookupKernel> lookup_kernels() { return kKernels; }

LookupChoice choose_lookup(const Profile& profile, const CpuFeatures& features) {
  return choose_kernel(lookup_kernels(), profile, features);
}

}  // namespace assay::kernels
