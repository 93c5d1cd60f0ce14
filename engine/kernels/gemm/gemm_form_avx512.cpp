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

// kWhole: the whole registers of a stretch, or -1: as many as there are. Most stretches are short: their loop is not
// one.
template <Form kForm, int kWhole>
void run_stretches(const GemmFormArgs& args) {
  constexpr std::int64_t kElement = kForm == Form::kFlipped ? 1 : 2;
  constexpr std::int64_t kStep = 64 / kElement;
  const std::int64_t whole = kWhole >= 0 ? kWhole : args.count / kStep;
  const __mmask64 read = first_bits(args.count - whole * kStep);
  const __mmask64 written = first_bits((args.padded - whole * kStep) * kElement);
  // What fills up is zero, also where bytes are flipped.
  const __mmask64 kept = kForm == Form::kFlipped ? read : written;
  const auto* from = static_cast<const std::uint8_t*>(args.from);
  auto* to = static_cast<std::uint8_t*>(args.to);
  for (std::int64_t i = 0; i < args.rows; ++i) {
    for (std::int64_t p = 0; p < whole; ++p) {
      _mm512_storeu_si512(to + p * 64, convert<kForm>(from + p * kStep, ~std::uint64_t{0}));
    }
    if (written != 0) {
      const __m512i rest = convert<kForm>(from + whole * kStep, read);
      _mm512_mask_storeu_epi8(to + whole * 64, written, _mm512_maskz_mov_epi8(kept, rest));
    }
    from += args.from_stride_bytes;
    to += args.to_stride_bytes;
  }
}

template <Form kForm>
void run(const GemmFormArgs& args) {
  constexpr std::int64_t kStep = kForm == Form::kFlipped ? 64 : 32;
  switch (args.count / kStep) {
    case 0:
      return run_stretches<kForm, 0>(args);
    case 1:
      return run_stretches<kForm, 1>(args);
    case 2:
      return run_stretches<kForm, 2>(args);
    default:
      return run_stretches<kForm, -1>(args);
  }
}

}  // namespace

void form_flipped_avx512(const GemmFormArgs& args) { run<Form::kFlipped>(args); }
void form_unsigned16_avx512(const GemmFormArgs& args) { run<Form::kUnsigned16>(args); }
void form_signed16_avx512(const GemmFormArgs& args) { run<Form::kSigned16>(args); }

}  // namespace assay::kernels
