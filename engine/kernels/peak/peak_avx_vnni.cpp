// SPDX-License-Identifier: Apache-2.0
// AVX-VNNI: vpdpbusd on ymm registers.
#include <immintrin.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 12;

}  // namespace

void peak_vpdpbusd_ymm(const PeakArgs& args) {
  const __m256i a = _mm256_set1_epi8(static_cast<char>(args.a));
  const __m256i b = _mm256_set1_epi8(args.b);
  __m256i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm256_setzero_si256();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      acc[i] = _mm256_dpbusd_avx_epi32(acc[i], a, b);
      asm("" : "+x"(acc[i]));  // one register from step to step
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm256_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm256_cvtsi256_si32(acc[0]);
}

}  // namespace assay::kernels
