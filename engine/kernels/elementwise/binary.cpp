// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/binary.h"

namespace assay::kernels {

void qlinear_add_fused_scalar(const BinaryArgs& args);
void qlinear_add_unfused_scalar(const BinaryArgs& args);
void qlinear_mul_scalar(const BinaryArgs& args);
#if ASSAY_HAVE_X86
void qlinear_add_fused_avx2(const BinaryArgs& args);
void qlinear_add_unfused_avx2(const BinaryArgs& args);
void qlinear_mul_avx2(const BinaryArgs& args);
void qlinear_add_fused_avx512(const BinaryArgs& args);
void qlinear_add_unfused_avx512(const BinaryArgs& args);
void qlinear_mul_avx512(const BinaryArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void qlinear_add_fused_neon(const BinaryArgs& args);
void qlinear_add_unfused_neon(const BinaryArgs& args);
void qlinear_mul_neon(const BinaryArgs& args);
#endif

namespace {

constexpr BinaryKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"binary_avx512", Isa::kAvx512, qlinear_add_fused_avx512, qlinear_add_unfused_avx512, qlinear_mul_avx512},
    {"binary_avx2", Isa::kAvx2, qlinear_add_fused_avx2, qlinear_add_unfused_avx2, qlinear_mul_avx2},
#endif
#if ASSAY_HAVE_AARCH64
    {"binary_neon", Isa::kNeon, qlinear_add_fused_neon, qlinear_add_unfused_neon, qlinear_mul_neon},
#endif
    {"binary_scalar", Isa::kScalar, qlinear_add_fused_scalar, qlinear_add_unfused_scalar, qlinear_mul_scalar},
};

}  // namespace

std::span<const BinaryKernel> binary_kernels() { return kKernels; }

BinaryChoice choose_binary(const Profile& profile, const CpuFeatures& features) {
  return choose_kernel(binary_kernels(), profile, features);
}

}  // namespace assay::kernels
