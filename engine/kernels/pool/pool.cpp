// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/pool/pool.h"

#include "engine/kernels/pool/pool_bands.h"
#include "engine/kernels/pool/pool_scalar.h"

namespace assay::kernels {

#if ASSAY_HAVE_X86
void average_band_avx2(const AverageBandArgs& args);
void max_band_avx2(const MaxBandArgs& args);
void qlinear_global_average_pool_avx2(const GlobalAveragePoolArgs& args);
void average_band_avx512(const AverageBandArgs& args);
void max_band_avx512(const MaxBandArgs& args);
void qlinear_global_average_pool_avx512(const GlobalAveragePoolArgs& args);
#endif
#if ASSAY_HAVE_AARCH64
void average_band_neon(const AverageBandArgs& args);
void max_band_neon(const MaxBandArgs& args);
void qlinear_global_average_pool_neon(const GlobalAveragePoolArgs& args);
#endif

namespace {

#if ASSAY_HAVE_X86 || ASSAY_HAVE_AARCH64
template <void (*kBand)(const AverageBandArgs&)>
void average(const AveragePoolArgs& args) {
  average_in_bands(kBand, args);
}
#endif

template <void (*kBand)(const MaxBandArgs&)>
void maximum(const MaxPoolArgs& args) {
  max_in_bands(kBand, args);
}

constexpr PoolKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"pool_avx512", Isa::kAvx512, average<average_band_avx512>, qlinear_global_average_pool_avx512,
     maximum<max_band_avx512>},
    {"pool_avx2", Isa::kAvx2, average<average_band_avx2>, qlinear_global_average_pool_avx2, maximum<max_band_avx2>},
#endif
#if ASSAY_HAVE_AARCH64
    {"pool_neon", Isa::kNeon, average<average_band_neon>, qlinear_global_average_pool_neon, maximum<max_band_neon>},
#endif
    {"pool_scalar", Isa::kScalar, qlinear_average_pool_scalar, qlinear_global_average_pool_scalar,
     maximum<max_band_scalar>},
};

}  // namespace

std::span<const PoolKernel> pool_kernels() { return kKernels; }

PoolChoice choose_pool(const Profile& profile, const CpuFeatures& features) {
  return choose_kernel(pool_kernels(), profile, features);
}

}  // namespace assay::kernels
