// SPDX-License-Identifier: Apache-2.0
// How the tile kernels on ymm registers store sums. Included by files compiled for AVX2 or more; all of it is inlined.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace assay::kernels {
namespace {

// The first `count` of 8 columns. In parts, because stores under a mask take tens of micro-operations on some CPUs.
__attribute__((always_inline)) inline void store_first(std::int32_t* to, int count, __m256i columns) {
  if (count == 8) {
    return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), columns);
  }
  __m128i rest = _mm256_castsi256_si128(columns);
  if ((count & 4) != 0) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rest);
    rest = _mm256_extracti128_si256(columns, 1);
    to += 4;
  }
  if ((count & 2) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), rest);
    rest = _mm_unpackhi_epi64(rest, rest);
    to += 2;
  }
  if ((count & 1) != 0) {
    *to = _mm_cvtsi128_si32(rest);
  }
}

}  // namespace
}  // namespace assay::kernels
