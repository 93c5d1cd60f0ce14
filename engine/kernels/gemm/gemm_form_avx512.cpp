// SPDX-License-Identifier: Apache-2.0
// AVX-512: a register of results at a time, the last one masked.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

enum class Form { kFlipped, kUnsigned16, kSigned16 };

// The bits of the first `count` elements, at most 64.
__mmask64 first_bits(std::int64_t count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

template <Form kForm>
__attribute__((always_inline)) inline __m512i convert(const std::uint8_t* from, __mmask64 read) {
  if constexpr (kForm == Form::kFlipped) {
    return _mm512_xor_si512(_mm512_maskz_loadu_epi8(read, from), _mm512_set1_epi8(static_cast<char>(0x80)));
  }
  const __m256i bytes = _mm256_maskz_loadu_epi8(static_cast<__mmask32>(read), from);
  return kForm == Form::kSigned16 ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
}

template <Form kForm>
void run(const GemmFormArgs& args) {
  constexpr std::int64_t kElement = kForm == Form::kFlipped ? 1 : 2;
  constexpr std::int64_t kStep = 64 / kElement;
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const auto* from = static_cast<const std::uint8_t*>(args.from) + i * args.from_stride_bytes;
    auto* to = static_cast<std::uint8_t*>(args.to) + i * args.to_stride_bytes;
    std::int64_t p = 0;
    for (; p + kStep <= args.count; p += kStep) {
      _mm512_storeu_si512(to + p * kElement, convert<kForm>(from + p, ~std::uint64_t{0}));
    }
    if (p < args.padded) {
      const __mmask64 read = first_bits(args.count - p);
      const __m512i rest = convert<kForm>(from + p, read);
      const __mmask64 written = first_bits((args.padded - p) * kElement);
      // What fills up is zero, also where bytes are flipped.
      const __mmask64 kept = kForm == Form::kFlipped ? read : written;
      _mm512_mask_storeu_epi8(to + p * kElement, written, _mm512_maskz_mov_epi8(kept, rest));
    }
  }
}

}  // namespace

void form_flipped_avx512(const GemmFormArgs& args) { run<Form::kFlipped>(args); }
void form_unsigned16_avx512(const GemmFormArgs& args) { run<Form::kUnsigned16>(args); }
void form_signed16_avx512(const GemmFormArgs& args) { run<Form::kSigned16>(args); }

}  // namespace assay::kernels
