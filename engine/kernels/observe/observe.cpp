// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/observe/observe.h"

namespace assay::kernels {

FloatExtremes float_extremes_scalar(const float* x, std::int64_t count);
void find_counters_scalar(const CounterArgs& args);
#if ASSAY_HAVE_X86
FloatExtremes float_extremes_avx2(const float* x, std::int64_t count);
void find_counters_avx2(const CounterArgs& args);
#endif

namespace {

constexpr ObserveKernel kKernels[] = {
#if ASSAY_HAVE_X86
    {"observe_avx2", Isa::kAvx2, float_extremes_avx2, find_counters_avx2},
#endif
    {"observe_scalar", Isa::kScalar, float_extremes_scalar, find_counters_scalar},
};

}  // namespace

std::span<const ObserveKernel> observe_kernels() { return kKernels; }

const ObserveKernel& observe_kernel(const CpuFeatures& features) {
  for (const ObserveKernel& kernel : kKernels) {
    if (can_run(features, kernel.isa)) {
      return kernel;
    }
  }
  return kKernels[std::size(kKernels) - 1];
}

}  // namespace assay::kernels
