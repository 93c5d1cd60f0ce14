// SPDX-License-Identifier: Apache-2.0
// AVX-512, 64 bytes a step, the last one under a mask. Without byte permutations (VBMI) the table is 128 words in four
// registers: x >> 1 selects a word (vpermi2w looks at six bits, the seventh chooses between its two results), bit 0 of
// x one of its bytes. Even and odd places of x take turns in 16-bit lanes.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/elementwise/lookup_args.h"

namespace assay::kernels {

void lookup_avx512(const LookupArgs& args);
void clamp_bytes_avx512(const ClampArgs& args);

namespace {

constexpr std::int64_t kStep = 64;

template <typename Function>
void map(const std::uint8_t* x, std::int64_t count, std::uint8_t* y, Function function) {
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    _mm512_storeu_si512(y + i, function(_mm512_loadu_si512(x + i)));
  }
  if (i < count) {
    const __mmask64 mask = (std::uint64_t{1} << (count - i)) - 1;
    _mm512_mask_storeu_epi8(y + i, mask, function(_mm512_maskz_loadu_epi8(mask, x + i)));
  }
}

}  // namespace

void lookup_avx512(const LookupArgs& args) {
  __m512i words[4];
  for (int i = 0; i < 4; ++i) {
    words[i] = _mm512_loadu_si512(args.table + i * kStep);
  }
  const __m512i byte = _mm512_set1_epi16(0xFF);
  const __m512i eight = _mm512_set1_epi16(8);
  // The word of each index 0 to 255, its wanted byte in the low half (what is above it is undefined).
  const auto selected = [&](__m512i index) {
    const __m512i word = _mm512_srli_epi16(index, 1);
    const __m512i low = _mm512_permutex2var_epi16(words[0], word, words[1]);
    const __m512i high = _mm512_permutex2var_epi16(words[2], word, words[3]);
    const __mmask32 upper = _mm512_movepi16_mask(_mm512_slli_epi16(index, 8));
    const __m512i pair = _mm512_mask_blend_epi16(upper, low, high);
    const __m512i shift = _mm512_and_si512(_mm512_slli_epi16(index, 3), eight);
    return _mm512_srlv_epi16(pair, shift);
  };
  map(args.x, args.count, args.y, [&](__m512i x) {
    const __m512i even = selected(_mm512_and_si512(x, byte));
    const __m512i odd = selected(_mm512_srli_epi16(x, 8));
    return _mm512_or_si512(_mm512_and_si512(even, byte), _mm512_slli_epi16(odd, 8));
  });
}

void clamp_bytes_avx512(const ClampArgs& args) {
  const __m512i low = _mm512_set1_epi8(static_cast<char>(args.min));
  const __m512i high = _mm512_set1_epi8(static_cast<char>(args.max));
  const auto* x = static_cast<const std::uint8_t*>(args.x);
  auto* y = static_cast<std::uint8_t*>(args.y);
  if (args.is_signed) {
    map(x, args.count, y, [&](__m512i v) { return _mm512_min_epi8(_mm512_max_epi8(v, low), high); });
  } else {
    map(x, args.count, y, [&](__m512i v) { return _mm512_min_epu8(_mm512_max_epu8(v, low), high); });
  }
}

}  // namespace assay::kernels
