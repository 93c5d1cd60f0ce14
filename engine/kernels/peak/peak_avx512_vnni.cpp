// SPDX-License-Identifier: Apache-2.0
// AVX512-VNNI: vpdpbusd on zmm registers.
#include <immintrin.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 24;

}  // namespace

void peak_vpdpbusd_zmm(const PeakArgs& args) {
  const __m512i a = _mm512_set1_epi8(static_cast<char>(args.a));
  const __m512i b = _mm512_set1_epi8(args.b);
  __m512i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm512_setzero_si512();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      acc[i] = _mm512_dpbusd_epi32(acc[i], a, b);
      asm("" : "+v"(acc[i]));  // one register from step to step
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm512_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm512_cvtsi512_si32(acc[0]);
}

}  // namespace assay::kernels
