// SPDX-License-Identifier: Apache-2.0
// AVX2, 32 bytes a step; a shorter last step goes through a buffer. The table is 16 registers of 16 entries. For each,
// x ^ (row << 4) has a high half of 0 where x lies in that row; adding 0x70 with saturation leaves bit 7 clear only
// there, and vpshufb gives 0 where bit 7 is set.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/elementwise/lookup_args.h"

namespace assay::kernels {

void lookup_avx2(const LookupArgs& args);
void clamp_bytes_avx2(const ClampArgs& args);

namespace {

constexpr std::int64_t kStep = 32;
constexpr int kRows = 16;

__m256i load(const std::uint8_t* bytes) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)); }
void store(std::uint8_t* bytes, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), v); }

// y[i] = function(x[i]) with function on whole registers.
template <typename Function>
void map(const std::uint8_t* x, std::int64_t count, std::uint8_t* y, Function function) {
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    store(y + i, function(load(x + i)));
  }
  if (i < count) {
    std::uint8_t buffer[kStep] = {};
    for (std::int64_t j = 0; i + j < count; ++j) {
      buffer[j] = x[i + j];
    }
    store(buffer, function(load(buffer)));
    for (std::int64_t j = 0; i + j < count; ++j) {
      y[i + j] = buffer[j];
    }
  }
}

}  // namespace

void lookup_avx2(const LookupArgs& args) {
  const std::uint8_t* table = args.table;
  const __m256i raise = _mm256_set1_epi8(0x70);
  const __m256i next_row = _mm256_set1_epi8(0x10);
  map(args.x, args.count, args.y, [&](__m256i x) {
    __m256i even = _mm256_setzero_si256();
    __m256i odd = even;
    __m256i row = even;
    for (int r = 0; r < kRows; r += 2) {
      const auto* entries = reinterpret_cast<const __m128i*>(table + r * 16);
      const __m256i at = _mm256_adds_epu8(_mm256_xor_si256(x, row), raise);
      row = _mm256_add_epi8(row, next_row);
      const __m256i at_next = _mm256_adds_epu8(_mm256_xor_si256(x, row), raise);
      row = _mm256_add_epi8(row, next_row);
      even = _mm256_or_si256(even, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(entries)), at));
      odd =
          _mm256_or_si256(odd, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(entries + 1)), at_next));
    }
    return _mm256_or_si256(even, odd);
  });
}

void clamp_bytes_avx2(const ClampArgs& args) {
  const __m256i low = _mm256_set1_epi8(static_cast<char>(args.min));
  const __m256i high = _mm256_set1_epi8(static_cast<char>(args.max));
  const auto* x = static_cast<const std::uint8_t*>(args.x);
  auto* y = static_cast<std::uint8_t*>(args.y);
  if (args.is_signed) {
    map(x, args.count, y, [&](__m256i v) { return _mm256_min_epi8(_mm256_max_epi8(v, low), high); });
  } else {
    map(x, args.count, y, [&](__m256i v) { return _mm256_min_epu8(_mm256_max_epu8(v, low), high); });
  }
}

}  // namespace assay::kernels
