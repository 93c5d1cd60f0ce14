// SPDX-License-Identifier: Apache-2.0
// AVX-512, 16 elements a step, the last one under a mask. Signed bytes order as unsigned ones once their top bit is
// flipped, and distances stay the same.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/softmax/softmax_args.h"

namespace assay::kernels {

void softmax_avx512(const SoftmaxArgs& args);
void qlinear_softmax_avx512(const QLinearSoftmaxArgs& args);

namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kBytes = 64;

__mmask16 mask_of(std::int64_t count) {
  return count >= kLanes ? static_cast<__mmask16>(0xFFFF) : static_cast<__mmask16>((1U << count) - 1U);
}
__mmask64 byte_mask(std::int64_t count) {
  return count >= kBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

__m512 times_plus(__m512 a, __m512 b, float c) { return _mm512_add_ps(_mm512_mul_ps(a, b), _mm512_set1_ps(c)); }

__m512 exponential(__m512 distance) {
  const __m512 least = _mm512_set1_ps(-87.0F);
  const __m512 rounder = _mm512_set1_ps(12582912.0F);
  const __m512 d = _mm512_max_ps(least, distance);  // NaN stays
  const __m512 shifted = _mm512_add_ps(_mm512_mul_ps(d, _mm512_set1_ps(1.44269504F)), rounder);
  const __m512 n = _mm512_sub_ps(shifted, rounder);
  const __m512 near = _mm512_sub_ps(d, _mm512_mul_ps(n, _mm512_set1_ps(0.693359375F)));
  const __m512 r = _mm512_sub_ps(near, _mm512_mul_ps(n, _mm512_set1_ps(-2.12194440e-4F)));
  __m512 p = times_plus(_mm512_set1_ps(1.9875691500e-4F), r, 1.3981999507e-3F);
  p = times_plus(p, r, 8.3334519073e-3F);
  p = times_plus(p, r, 4.1665795894e-2F);
  p = times_plus(p, r, 1.6666665459e-1F);
  p = times_plus(p, r, 5.0000001201e-1F);
  p = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(p, _mm512_mul_ps(r, r)), r), _mm512_set1_ps(1.0F));
  const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
  const __m512 power = _mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(0x3F800000)));
  return _mm512_maskz_mul_ps(_mm512_cmp_ps_mask(distance, least, _CMP_NLT_UQ), p, power);
}

float sum_of(__m512 lanes) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

void softmax_row(const float* x, float* y, std::int64_t length) {
  __m512 largest = _mm512_set1_ps(x[0]);
  for (std::int64_t i = 0; i < length; i += kLanes) {
    largest =
        _mm512_mask_max_ps(largest, mask_of(length - i), largest, _mm512_maskz_loadu_ps(mask_of(length - i), x + i));
  }
  const __m512 top = _mm512_set1_ps(_mm512_reduce_max_ps(largest));
  __m512 lanes = _mm512_setzero_ps();
  for (std::int64_t i = 0; i < length; i += kLanes) {
    const __mmask16 mask = mask_of(length - i);
    const __m512 e = exponential(_mm512_sub_ps(_mm512_maskz_loadu_ps(mask, x + i), top));
    lanes = _mm512_mask_add_ps(lanes, mask, lanes, e);
    _mm512_mask_storeu_ps(y + i, mask, e);
  }
  const __m512 sum = _mm512_set1_ps(sum_of(lanes));
  for (std::int64_t i = 0; i < length; i += kLanes) {
    const __mmask16 mask = mask_of(length - i);
    _mm512_mask_storeu_ps(y + i, mask, _mm512_div_ps(_mm512_maskz_loadu_ps(mask, y + i), sum));
  }
}

int largest_byte(const std::uint8_t* x, std::int64_t length, __m512i flips) {
  __m512i best = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < length; i += kBytes) {
    const __mmask64 mask = byte_mask(length - i);
    const __m512i bytes = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, x + i), flips);
    best = _mm512_mask_max_epu8(best, mask, best, bytes);
  }
  const __m512i words = _mm512_max_epu16(_mm512_and_si512(best, _mm512_set1_epi16(0xFF)), _mm512_srli_epi16(best, 8));
  const __m512i doubles =
      _mm512_max_epu32(_mm512_and_si512(words, _mm512_set1_epi32(0xFFFF)), _mm512_srli_epi32(words, 16));
  return static_cast<int>(_mm512_reduce_max_epu32(doubles));
}

// The exponentials of 16 elements of a row.
struct Exponentials {
  const float* table;
  __m128i flips;
  __m512i largest;

  __m512 at(const std::uint8_t* x, __mmask16 mask) const {
    const __m128i bytes = _mm_xor_si128(_mm_maskz_loadu_epi8(mask, x), flips);
    const __m512i distance = _mm512_sub_epi32(largest, _mm512_cvtepu8_epi32(bytes));
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, distance, table, 4);
  }
};

void qlinear_row(const QLinearSoftmaxArgs& args, const std::uint8_t* x, std::uint8_t* y) {
  const __m512i flips = _mm512_set1_epi8(args.is_signed ? INT8_MIN : 0);
  const Exponentials exponentials = {args.exponentials, _mm512_castsi512_si128(flips),
                                     _mm512_set1_epi32(largest_byte(x, args.length, flips))};
  __m512 lanes = _mm512_setzero_ps();
  for (std::int64_t i = 0; i < args.length; i += kLanes) {
    lanes = _mm512_add_ps(lanes, exponentials.at(x + i, mask_of(args.length - i)));
  }
  const __m512 sum = _mm512_set1_ps(sum_of(lanes));
  const __m512 steps = _mm512_set1_ps(args.steps);
  const int least = args.is_signed ? INT8_MIN : 0;
  const __m512 low = _mm512_set1_ps(static_cast<float>(least - args.y_zero_point));
  const __m512 high = _mm512_set1_ps(static_cast<float>(least + UINT8_MAX - args.y_zero_point));
  const __m512i zero = _mm512_set1_epi32(args.y_zero_point);
  for (std::int64_t i = 0; i < args.length; i += kLanes) {
    const __mmask16 mask = mask_of(args.length - i);
    const __m512 v = _mm512_div_ps(_mm512_mul_ps(exponentials.at(x + i, mask), steps), sum);
    const __m512 clamped = _mm512_min_ps(_mm512_max_ps(v, low), high);  // NaN: low
    const __m512i out = _mm512_add_epi32(_mm512_cvtps_epi32(clamped), zero);
    _mm_mask_storeu_epi8(y + i, mask, _mm512_cvtepi32_epi8(out));
  }
}

}  // namespace

void softmax_avx512(const SoftmaxArgs& args) {
  for (std::int64_t row = 0; row < args.rows && args.length > 0; ++row) {
    softmax_row(args.x + row * args.length, args.y + row * args.length, args.length);
  }
}

void qlinear_softmax_avx512(const QLinearSoftmaxArgs& args) {
  for (std::int64_t row = 0; row < args.rows && args.length > 0; ++row) {
    qlinear_row(args, args.x + row * args.length, args.y + row * args.length);
  }
}

}  // namespace assay::kernels
