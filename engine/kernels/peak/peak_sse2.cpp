// SPDX-License-Identifier: Apache-2.0
// The baseline of x86-64: pmaddwd and paddd on xmm registers, what compilers make of the portable kernels.
#include <emmintrin.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 6;

}  // namespace

void peak_pmaddwd_xmm(const PeakArgs& args) {
  __m128i a = _mm_set1_epi16(args.a);
  const __m128i b = _mm_set1_epi16(args.b);
  __m128i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm_setzero_si128();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+x"(a));  // a value that the compiler does not know: no product is computed just once
      acc[i] = _mm_add_epi32(acc[i], _mm_madd_epi16(a, b));
      asm("" : "+x"(acc[i]));
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm_cvtsi128_si32(acc[0]);
}

}  // namespace assay::kernels
