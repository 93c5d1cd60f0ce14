// SPDX-License-Identifier: Apache-2.0
// AVX2, 32 bytes a step; a shorter last step goes through a buffer. The table is two halves of 8 rows of 16 entries.
// Within a half, row r holds table[r] ^ table[r - 1], and the wanted entry is the exclusive or of rows 0 to x / 16: an
// index that falls by 16 a row, with signed saturation, stays negative from there on, and for the bytes of the other
// half from the start; vpshufb gives 0 for negative indices.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/elementwise/lookup_args.h"

namespace assay::kernels {

void lookup_avx2(const LookupArgs& args);
void clamp_bytes_avx2(const ClampArgs& args);

namespace {

constexpr std::int64_t kStep = 32;
constexpr int kRows = 8;

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
  __m256i rows[2][kRows];
  for (int half = 0; half < 2; ++half) {
    __m256i last = _mm256_setzero_si256();
    for (int r = 0; r < kRows; ++r) {
      const auto* entries = reinterpret_cast<const __m128i*>(args.table + (half * kRows + r) * 16);
      const __m256i row = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries));
      rows[half][r] = _mm256_xor_si256(row, last);
      last = row;
    }
  }
  const __m256i top_bit = _mm256_set1_epi8(INT8_MIN);
  const __m256i row_entries = _mm256_set1_epi8(16);
  map(args.x, args.count, args.y, [&](__m256i x) {
    __m256i low_at = x;
    __m256i high_at = _mm256_xor_si256(x, top_bit);
    __m256i low = _mm256_shuffle_epi8(rows[0][0], low_at);
    __m256i high = _mm256_shuffle_epi8(rows[1][0], high_at);
    for (int r = 1; r < kRows; ++r) {
      low_at = _mm256_subs_epi8(low_at, row_entries);
      high_at = _mm256_subs_epi8(high_at, row_entries);
      low = _mm256_xor_si256(low, _mm256_shuffle_epi8(rows[0][r], low_at));
      high = _mm256_xor_si256(high, _mm256_shuffle_epi8(rows[1][r], high_at));
    }
    return _mm256_or_si256(low, high);
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
