// SPDX-License-Identifier: Apache-2.0
// AVX2, 16 elements a step in two registers; a shorter last step goes through a buffer. Signed bytes order as unsigned
// ones once their top bit is flipped, and distances stay the same.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/softmax/softmax_args.h"

namespace assay::kernels {

void softmax_avx2(const SoftmaxArgs& args);
void qlinear_softmax_avx2(const QLinearSoftmaxArgs& args);

namespace {

constexpr std::int64_t kHalf = 8;
constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kBytes = 32;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

__m256 times_plus(__m256 a, __m256 b, float c) { return _mm256_add_ps(_mm256_mul_ps(a, b), _mm256_set1_ps(c)); }

__m256 exponential(__m256 distance) {
  const __m256 lowest = _mm256_set1_ps(-87.0F);
  const __m256 rounder = _mm256_set1_ps(12582912.0F);
  const __m256 d = _mm256_max_ps(lowest, distance);  // NaN stays
  const __m256 shifted = _mm256_add_ps(_mm256_mul_ps(d, _mm256_set1_ps(1.44269504F)), rounder);
  const __m256 n = _mm256_sub_ps(shifted, rounder);
  const __m256 near = _mm256_sub_ps(d, _mm256_mul_ps(n, _mm256_set1_ps(0.693359375F)));
  const __m256 r = _mm256_sub_ps(near, _mm256_mul_ps(n, _mm256_set1_ps(-2.12194440e-4F)));
  __m256 p = times_plus(_mm256_set1_ps(1.9875691500e-4F), r, 1.3981999507e-3F);
  p = times_plus(p, r, 8.3334519073e-3F);
  p = times_plus(p, r, 4.1665795894e-2F);
  p = times_plus(p, r, 1.6666665459e-1F);
  p = times_plus(p, r, 5.0000001201e-1F);
  p = _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(p, _mm256_mul_ps(r, r)), r), _mm256_set1_ps(1.0F));
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  const __m256 power = _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(0x3F800000)));
  return _mm256_and_ps(_mm256_cmp_ps(distance, lowest, _CMP_NLT_UQ), _mm256_mul_ps(p, power));
}

float sum_of(__m256 low, __m256 high) {
  const __m256 eight = _mm256_add_ps(low, high);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// Sixteen elements; where `count` is less, those from there on are `rest`.
struct Floats {
  float values[kLanes];

  Floats(const float* x, std::int64_t count, float rest) {
    for (std::int64_t i = 0; i < kLanes; ++i) {
      values[i] = i < count ? x[i] : rest;
    }
  }
  void store_to(float* y, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) {
      y[i] = values[i];
    }
  }
};

float largest_of(const float* x, std::int64_t length) {
  float top = x[0];
  std::int64_t i = 0;
  if (length >= kHalf) {
    __m256 best = _mm256_loadu_ps(x);
    for (; i + kHalf <= length; i += kHalf) {
      best = _mm256_max_ps(best, _mm256_loadu_ps(x + i));
    }
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(best), _mm256_extractf128_ps(best, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    top = _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
  }
  for (; i < length; ++i) {
    top = x[i] > top ? x[i] : top;
  }
  return top;
}

void softmax_row(const float* x, float* y, std::int64_t length) {
  const __m256 top = _mm256_set1_ps(largest_of(x, length));
  __m256 low = _mm256_setzero_ps();
  __m256 high = _mm256_setzero_ps();
  const auto step = [&](const float* from, float* to) {
    const __m256 left = exponential(_mm256_sub_ps(_mm256_loadu_ps(from), top));
    const __m256 right = exponential(_mm256_sub_ps(_mm256_loadu_ps(from + kHalf), top));
    low = _mm256_add_ps(low, left);
    high = _mm256_add_ps(high, right);
    _mm256_storeu_ps(to, left);
    _mm256_storeu_ps(to + kHalf, right);
  };
  std::int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    step(x + i, y + i);
  }
  if (i < length) {
    Floats last(x + i, length - i, -__builtin_inff());  // exponential 0
    step(last.values, last.values);
    last.store_to(y + i, length - i);
  }
  const float sum = sum_of(low, high);
  for (i = 0; i + kHalf <= length; i += kHalf) {
    _mm256_storeu_ps(y + i, _mm256_div_ps(_mm256_loadu_ps(y + i), _mm256_set1_ps(sum)));
  }
  for (; i < length; ++i) {
    y[i] /= sum;
  }
}

int largest_byte(const std::uint8_t* x, std::int64_t length, int flip) {
  int top = 0;
  std::int64_t i = 0;
  if (length >= kBytes) {
    const __m256i flips = _mm256_set1_epi8(static_cast<char>(flip));
    __m256i best = _mm256_setzero_si256();
    for (; i + kBytes <= length; i += kBytes) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
      best = _mm256_max_epu8(best, _mm256_xor_si256(bytes, flips));
    }
    const __m128i half = _mm_max_epu8(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
    const __m128i words = _mm_max_epu8(half, _mm_srli_epi16(half, 8));
    // The least of the complements is the largest.
    const __m128i complements = _mm_xor_si128(_mm_and_si128(words, _mm_set1_epi16(0xFF)), _mm_set1_epi16(0xFF));
    top = 0xFF - (_mm_cvtsi128_si32(_mm_minpos_epu16(complements)) & 0xFF);
  }
  for (; i < length; ++i) {
    const int value = x[i] ^ flip;
    top = value > top ? value : top;
  }
  return top;
}

// The exponentials of the elements of a row.
struct Exponentials {
  const float* table;
  int flip;
  int largest;

  __m256 at(const std::uint8_t* x) const {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x));
    const __m256i flipped = _mm256_xor_si256(_mm256_cvtepu8_epi32(bytes), _mm256_set1_epi32(flip));
    return _mm256_i32gather_ps(table, _mm256_sub_epi32(_mm256_set1_epi32(largest), flipped), 4);
  }
  // Of up to eight elements, 0 behind them.
  __m256 first_at(const std::uint8_t* x, std::int64_t count) const {
    if (count >= kHalf) {
      return at(x);
    }
    float values[kHalf] = {};
    for (std::int64_t i = 0; i < count; ++i) {
      values[i] = table[largest - (x[i] ^ flip)];
    }
    return _mm256_loadu_ps(values);
  }
};

void qlinear_row(const QLinearSoftmaxArgs& args, const std::uint8_t* x, std::uint8_t* y) {
  const int flip = args.is_signed ? 0x80 : 0;
  const Exponentials exponentials = {args.exponentials, flip, largest_byte(x, args.length, flip)};
  __m256 sums[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  for (std::int64_t i = 0; i < args.length; i += kHalf) {
    __m256& lanes = sums[i / kHalf % 2];
    lanes = _mm256_add_ps(lanes, exponentials.first_at(x + i, args.length - i));
  }
  const __m256 sum = _mm256_set1_ps(sum_of(sums[0], sums[1]));
  const __m256 steps = _mm256_set1_ps(args.steps);
  const int lowest = args.is_signed ? INT8_MIN : 0;
  const __m256 low = _mm256_set1_ps(static_cast<float>(lowest - args.y_zero_point));
  const __m256 high = _mm256_set1_ps(static_cast<float>(lowest + UINT8_MAX - args.y_zero_point));
  const __m256i zero = _mm256_set1_epi32(args.y_zero_point);
  for (std::int64_t i = 0; i < args.length; i += kHalf) {
    const __m256 e = exponentials.first_at(x + i, args.length - i);
    const __m256 v = _mm256_div_ps(_mm256_mul_ps(e, steps), sum);
    const __m256 clamped = _mm256_min_ps(_mm256_max_ps(v, low), high);  // NaN: low
    const __m256i out = _mm256_add_epi32(_mm256_cvtps_epi32(clamped), zero);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(out), _mm256_extracti128_si256(out, 1));
    const __m128i bytes = args.is_signed ? _mm_packs_epi16(words, words) : _mm_packus_epi16(words, words);
    if (args.length - i >= kHalf) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(y + i), bytes);
      continue;
    }
    auto rest = static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes));
    for (std::int64_t j = i; j < least(args.length, i + kHalf); ++j, rest >>= 8U) {
      y[j] = static_cast<std::uint8_t>(rest);
    }
  }
}

}  // namespace

void softmax_avx2(const SoftmaxArgs& args) {
  for (std::int64_t row = 0; row < args.rows && args.length > 0; ++row) {
    softmax_row(args.x + row * args.length, args.y + row * args.length, args.length);
  }
}

void qlinear_softmax_avx2(const QLinearSoftmaxArgs& args) {
  for (std::int64_t row = 0; row < args.rows && args.length > 0; ++row) {
    qlinear_row(args, args.x + row * args.length, args.y + row * args.length);
  }
}

}  // namespace assay::kernels
