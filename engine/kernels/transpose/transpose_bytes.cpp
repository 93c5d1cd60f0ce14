// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/transpose/transpose_bytes.h"

#include "engine/kernels/choose_kernel.h"

namespace assay::kernels {

void transpose_bytes_scalar(const ByteTransposeArgs& args);
#if ASSAY_HAVE_X86
void transpose_bytes_avx2(const ByteTransposeArgs& args);
void transpose_bytes_avx512(const ByteTransposeArgs& args);
#endif

namespace {

constexpr TransposeKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"transpose_bytes_avx512", Isa::kAvx512, transpose_bytes_avx512},
    {"transpose_bytes_avx2", Isa::kAvx2, transpose_bytes_avx2},
#endif
    {"transpose_bytes_scalar", Isa::kScalar, transpose_bytes_scalar},
};

}  // namespace

std::span<const TransposeKernel> transpose_kernels() { return kKernels; }

const TransposeKernel& choose_transpose(const Profile& profile, const CpuFeatures& features) {
  return *choose_kernel(transpose_kernels(), profile, features).kernel;
}

}  // namespace assay::kernels
