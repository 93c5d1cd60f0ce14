// SPDX-License-Identifier: Apache-2.0
// AVX2: a register of results at a time, the last elements one by one.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

void run_flipped(const GemmFormArgs& args) {
  constexpr std::int64_t kStep = 32;
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const auto* from = static_cast<const std::uint8_t*>(args.from) + i * args.from_stride_bytes;
    auto* to = static_cast<std::uint8_t*>(args.to) + i * args.to_stride_bytes;
    std::int64_t p = 0;
    for (; p + kStep <= args.count; p += kStep) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + p));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + p), _mm256_xor_si256(bytes, flip));
    }
    for (; p < args.count; ++p) {
      to[p] = from[p] ^ 0x80;
    }
    for (; p < args.padded; ++p) {
      to[p] = 0;
    }
  }
}

template <typename Byte>
void run_widened(const GemmFormArgs& args) {
  constexpr std::int64_t kStep = 16;
  constexpr bool kSigned = static_cast<Byte>(-1) < 0;
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const auto* from = static_cast<const Byte*>(args.from) + i * args.from_stride_bytes;
    auto* to = reinterpret_cast<std::int16_t*>(static_cast<std::uint8_t*>(args.to) + i * args.to_stride_bytes);
    std::int64_t p = 0;
    for (; p + kStep <= args.count; p += kStep) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + p));
      const __m256i words = kSigned ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + p), words);
    }
    for (; p < args.count; ++p) {
      to[p] = from[p];
    }
    for (; p < args.padded; ++p) {
      to[p] = 0;
    }
  }
}

}  // namespace

void form_flipped_avx2(const GemmFormArgs& args) { run_flipped(args); }
void form_unsigned16_avx2(const GemmFormArgs& args) { run_widened<std::uint8_t>(args); }
void form_signed16_avx2(const GemmFormArgs& args) { run_widened<std::int8_t>(args); }

}  // namespace assay::kernels
