// SPDX-License-Identifier: Apache-2.0
// AVX512: 64 columns at a time, the last ones masked. vcvtps2dq rounds half to even under the default rounding mode;
// vmaxps and vminps take their second operand where the first is NaN.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/requantize/requantize_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kLanes = 16;

struct Output {
  __m512 low;  // clamp_min - y_zero_point
  __m512 high;
};

// 16 columns from j on, before the zero point is added.
template <bool kShifted>
__attribute__((always_inline)) inline __m512i convert(const RequantizeArgs& args, const std::int32_t* acc,
                                                      std::int64_t j, __m512i row_sum, const Output& output,
                                                      __mmask16 mask) {
  __m512i v =
      _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, acc + j), _mm512_maskz_loadu_epi32(mask, args.column_offset + j));
  if constexpr (kShifted) {
    v = _mm512_sub_epi32(v, _mm512_mullo_epi32(_mm512_maskz_loadu_epi32(mask, args.b_zero_point + j), row_sum));
  }
  const __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(v), _mm512_maskz_loadu_ps(mask, args.scale + j));
  return _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(product, output.low), output.high));
}

template <bool kShifted>
void run(const RequantizeArgs& args) {
  constexpr auto kAll = static_cast<__mmask16>(0xFFFF);
  const Output output = {_mm512_set1_ps(static_cast<float>(args.clamp_min - args.y_zero_point)),
                         _mm512_set1_ps(static_cast<float>(args.clamp_max - args.y_zero_point))};
  // The bytes of the result wrap to the right ones of either type.
  const __m512i zero_point = _mm512_set1_epi8(static_cast<char>(args.y_zero_point));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i low_byte = _mm512_set1_epi32(0xFF);
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const std::int32_t* acc = args.acc + i * args.acc_stride;
    std::uint8_t* y = static_cast<std::uint8_t*>(args.y) + i * args.y_row_stride_bytes;
    const __m512i row_sum = _mm512_set1_epi32(kShifted ? args.row_sum[i] : 0);
    std::int64_t j = 0;
    for (; j + 4 * kLanes <= args.columns; j += 4 * kLanes) {
      __m512i v[4];
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) {
        v[t] = _mm512_and_si512(convert<kShifted>(args, acc, j + t * kLanes, row_sum, output, kAll), low_byte);
      }
      const __m512i bytes = _mm512_packus_epi16(_mm512_packus_epi32(v[0], v[1]), _mm512_packus_epi32(v[2], v[3]));
      _mm512_storeu_si512(y + j, _mm512_add_epi8(_mm512_permutexvar_epi32(order, bytes), zero_point));
    }
    for (; j < args.columns; j += kLanes) {
      const std::int64_t left = args.columns - j;
      const auto mask = static_cast<__mmask16>(left >= kLanes ? 0xFFFF : (1 << left) - 1);
      const __m128i bytes = _mm512_cvtepi32_epi8(convert<kShifted>(args, acc, j, row_sum, output, mask));
      _mm_mask_storeu_epi8(y + j, mask, _mm_add_epi8(bytes, _mm512_castsi512_si128(zero_point)));
    }
  }
}

}  // namespace

void requantize_avx512(const RequantizeArgs& args) {
  if (args.b_zero_point == nullptr) {
    run<false>(args);
  } else {
    run<true>(args);
  }
}

}  // namespace assay::kernels
