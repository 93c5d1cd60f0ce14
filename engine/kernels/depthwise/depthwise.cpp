// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/depthwise/depthwise.h"

namespace assay::kernels {

void depthwise_scalar(const DepthwiseArgs& args);
#if ASSAY_HAVE_X86
void depthwise_avx2(const DepthwiseArgs& args);
void depthwise_avx_vnni(const DepthwiseArgs& args);
void depthwise_avx512_vnni(const DepthwiseArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void depthwise_neon(const DepthwiseArgs& args);
#endif

namespace {

constexpr DepthwiseKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"depthwise_avx512_vnni", Isa::kAvx512Vnni, depthwise_avx512_vnni},
    {"depthwise_avx_vnni", Isa::kAvxVnni, depthwise_avx_vnni},
    {"depthwise_avx2", Isa::kAvx2, depthwise_avx2},
#endif
#if ASSAY_HAVE_AARCH64
    {"depthwise_neon", Isa::kNeon, depthwise_neon},
#endif
    {"depthwise_scalar", Isa::kScalar, depthwise_scalar},
};

}  // namespace

std::span<const DepthwiseKernel> depthwise_kernels() { return kKernels; }

DepthwiseChoice choose_depthwise(const Profile& profile, const CpuFeatures& features) {
  return choose_kernel(depthwise_kernels(), profile, features);
}

}  // namespace assay::kernels
