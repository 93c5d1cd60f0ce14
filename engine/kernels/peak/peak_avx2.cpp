// SPDX-License-Identifier: Apache-2.0
// AVX2: vpmaddubsw, vpmaddwd by ones and vpaddd (sat16-pairs); vpmaddwd and vpaddd (exact); on ymm registers.
#include <immintrin.h>

#include "engine/kernels/peak/peak_args.h"

namespace assay::kernels {
namespace {

constexpr int kChains = 6;

}  // namespace

void peak_vpmaddubsw_ymm(const PeakArgs& args) {
  __m256i a = _mm256_set1_epi8(static_cast<char>(args.a));
  const __m256i b = _mm256_set1_epi8(args.b);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm256_setzero_si256();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+x"(a));  // a value that the compiler does not know: no product is computed just once
      acc[i] = _mm256_add_epi32(acc[i], _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
      asm("" : "+x"(acc[i]));
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm256_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm256_cvtsi256_si32(acc[0]);
}

// All products, then all sums: where sums can take the ports of products, as on Zen 4, turns cost up to a fifth.
void peak_vpmaddwd_ymm(const PeakArgs& args) {
  __m256i a = _mm256_set1_epi16(args.a);
  const __m256i b = _mm256_set1_epi16(args.b);
  __m256i acc[kChains];
#pragma GCC unroll 32
  for (int i = 0; i < kChains; ++i) {
    acc[i] = _mm256_setzero_si256();
  }
  for (std::int64_t step = 0; step < args.steps; ++step) {
    __m256i products[kChains];
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      asm("" : "+x"(a));  // a value that the compiler does not know: no product is computed just once
      products[i] = _mm256_madd_epi16(a, b);
      asm volatile("" : "+x"(products[i]));
    }
#pragma GCC unroll 32
    for (int i = 0; i < kChains; ++i) {
      acc[i] = _mm256_add_epi32(acc[i], products[i]);
      asm volatile("" : "+x"(acc[i]));
    }
  }
#pragma GCC unroll 32
  for (int i = 1; i < kChains; ++i) {
    acc[0] = _mm256_add_epi32(acc[0], acc[i]);
  }
  *args.sum = _mm256_cvtsi256_si32(acc[0]);
}

}  // namespace assay::kernels
