// SPDX-License-Identifier: Apache-2.0
// AVX-512: vpmaddubsw, vpmaddwd by ones and vpaddd (sat16-pairs); vpmaddwd and vpaddd (exact); on zmm registers.
#include <immintrin.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 12;

}  // namespace

void peak_vpmaddubsw_zmm(const PeakArgs& args) {
  __m512i a = _mm512_set1_epi8(static_cast<char>(args.a));
  const __m512i b = _mm512_set1_epi8(args.b);
  const __m512i ones = _mm512_set1_epi16(1);
  __m512i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm512_setzero_si512();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+v"(a));  // a value that the compiler does not know: no product is computed just once
      acc[i] = _mm512_add_epi32(acc[i], _mm512_madd_epi16(_mm512_maddubs_epi16(a, b), ones));
      asm("" : "+v"(acc[i]));
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm512_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm512_cvtsi512_si32(acc[0]);
}

// All products, then all sums: where sums can take the ports of products, as on Zen 4, turns cost up to a fifth.
void peak_vpmaddwd_zmm(const PeakArgs& args) {
  __m512i a = _mm512_set1_epi16(args.a);
  const __m512i b = _mm512_set1_epi16(args.b);
  __m512i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm512_setzero_si512();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
    __m512i products[kChains];
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+v"(a));  // a value that the compiler does not know: no product is computed just once
      products[i] = _mm512_madd_epi16(a, b);
      asm volatile("" : "+v"(products[i]));
    }
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      acc[i] = _mm512_add_epi32(acc[i], products[i]);
      asm volatile("" : "+v"(acc[i]));
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm512_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm512_cvtsi512_si32(acc[0]);
}

}  // namespace assay::kernels
