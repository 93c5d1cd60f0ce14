// SPDX-License-Identifier: Apache-2.0
// AVX-512, 16 elements a vector, tails under a mask. vmaxps and vminps give their second operand for NaN, as the
// comparisons of the portable code do; vcvtps2dq rounds half to even.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/linear/linear_args.h"

namespace assay::kernels {

void quantize_linear_avx512(const QuantizeArgs& args);
void dequantize_linear_avx512(const DequantizeArgs& args);
FloatRange float_range_avx512(const float* x, std::int64_t count);

namespace {

constexpr std::int64_t kVector = 16;
constexpr std::int64_t kStep = 4 * kVector;

__mmask16 first_lanes(std::int64_t count) { return static_cast<__mmask16>((1U << count) - 1U); }

struct Rounding {
  __m512 scale;
  __m512 low;
  __m512 high;
  __m512i zero_point;
};

__m512i quantized(__m512 x, const Rounding& r) {
  const __m512 clamped = _mm512_min_ps(_mm512_max_ps(_mm512_div_ps(x, r.scale), r.low), r.high);
  return _mm512_add_epi32(_mm512_cvtps_epi32(clamped), r.zero_point);
}

Rounding rounding_of(const QuantizeArgs& args, std::int32_t low, std::int32_t high) {
  return {_mm512_set1_ps(args.scale), _mm512_set1_ps(static_cast<float>(low - args.zero_point)),
          _mm512_set1_ps(static_cast<float>(high - args.zero_point)), _mm512_set1_epi32(args.zero_point)};
}

// The values are in range, so that truncation serves both signs.
void quantize_to_bytes(const QuantizeArgs& args, std::int32_t low, std::int32_t high) {
  const Rounding r = rounding_of(args, low, high);
  auto* y = static_cast<std::uint8_t*>(args.y);
  std::int64_t i = 0;
  for (; i + kVector <= args.count; i += kVector) {
    const __m512i q = quantized(_mm512_loadu_ps(args.x + i), r);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), _mm512_cvtepi32_epi8(q));
  }
  if (i < args.count) {
    const __mmask16 mask = first_lanes(args.count - i);
    _mm512_mask_cvtepi32_storeu_epi8(y + i, mask, quantized(_mm512_maskz_loadu_ps(mask, args.x + i), r));
  }
}

void quantize_to_words(const QuantizeArgs& args, std::int32_t low, std::int32_t high) {
  const Rounding r = rounding_of(args, low, high);
  auto* y = static_cast<std::uint16_t*>(args.y);
  std::int64_t i = 0;
  for (; i + kVector <= args.count; i += kVector) {
    const __m512i q = quantized(_mm512_loadu_ps(args.x + i), r);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + i), _mm512_cvtepi32_epi16(q));
  }
  if (i < args.count) {
    const __mmask16 mask = first_lanes(args.count - i);
    _mm512_mask_cvtepi32_storeu_epi16(y + i, mask, quantized(_mm512_maskz_loadu_ps(mask, args.x + i), r));
  }
}

template <LinearType kType>
__m512i load(const void* x, std::int64_t at, __mmask16 mask) {
  const auto* bytes = static_cast<const std::uint8_t*>(x) + at;
  const auto* words = static_cast<const std::uint16_t*>(x) + at;
  switch (kType) {
    case LinearType::kInt8:
      return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, bytes));
    case LinearType::kUint8:
      return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, bytes));
    case LinearType::kInt16:
      return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, words));
    case LinearType::kUint16:
      return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, words));
    default:
      return _mm512_maskz_loadu_epi32(mask, static_cast<const std::int32_t*>(x) + at);
  }
}

template <LinearType kType>
__m512i load_all(const void* x, std::int64_t at) {
  const auto* bytes = static_cast<const std::uint8_t*>(x) + at;
  const auto* words = static_cast<const std::uint16_t*>(x) + at;
  switch (kType) {
    case LinearType::kInt8:
      return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
    case LinearType::kUint8:
      return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
    case LinearType::kInt16:
      return _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
    case LinearType::kUint16:
      return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
    default:
      return _mm512_loadu_si512(static_cast<const std::int32_t*>(x) + at);
  }
}

template <LinearType kType>
void dequantize_from(const DequantizeArgs& args) {
  const __m512 scale = _mm512_set1_ps(args.scale);
  const __m512i zero_point = _mm512_set1_epi32(args.zero_point);
  const auto value = [&](__m512i x) {
    return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(x, zero_point)), scale);
  };
  std::int64_t i = 0;
  for (; i + kStep <= args.count; i += kStep) {
    for (std::int64_t at = i; at < i + kStep; at += kVector) {
      _mm512_storeu_ps(args.y + at, value(load_all<kType>(args.x, at)));
    }
  }
  for (; i < args.count; i += kVector) {
    const __mmask16 mask = args.count - i < kVector ? first_lanes(args.count - i) : __mmask16{0xFFFF};
    _mm512_mask_storeu_ps(args.y + i, mask, value(load<kType>(args.x, i, mask)));
  }
}

}  // namespace

void quantize_linear_avx512(const QuantizeArgs& args) {
  switch (args.y_type) {
    case LinearType::kInt8:
      return quantize_to_bytes(args, INT8_MIN, INT8_MAX);
    case LinearType::kInt16:
      return quantize_to_words(args, INT16_MIN, INT16_MAX);
    case LinearType::kUint16:
      return quantize_to_words(args, 0, UINT16_MAX);
    default:
      return quantize_to_bytes(args, 0, UINT8_MAX);
  }
}

void dequantize_linear_avx512(const DequantizeArgs& args) {
  switch (args.x_type) {
    case LinearType::kInt8:
      return dequantize_from<LinearType::kInt8>(args);
    case LinearType::kInt16:
      return dequantize_from<LinearType::kInt16>(args);
    case LinearType::kUint16:
      return dequantize_from<LinearType::kUint16>(args);
    case LinearType::kInt32:
      return dequantize_from<LinearType::kInt32>(args);
    default:
      return dequantize_from<LinearType::kUint8>(args);
  }
}

FloatRange float_range_avx512(const float* x, std::int64_t count) {
  __m512 low[4] = {};
  __m512 high[4] = {};
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (int lane = 0; lane < 4; ++lane) {
      const __m512 v = _mm512_loadu_ps(x + i + lane * kVector);
      low[lane] = _mm512_min_ps(v, low[lane]);  // NaN: the second operand
      high[lane] = _mm512_max_ps(v, high[lane]);
    }
  }
  for (; i < count; i += kVector) {
    const __mmask16 mask = count - i < kVector ? first_lanes(count - i) : __mmask16{0xFFFF};
    const __m512 v = _mm512_maskz_loadu_ps(mask, x + i);
    low[0] = _mm512_min_ps(v, low[0]);
    high[0] = _mm512_max_ps(v, high[0]);
  }
  const __m512 lows = _mm512_min_ps(_mm512_min_ps(low[0], low[1]), _mm512_min_ps(low[2], low[3]));
  const __m512 highs = _mm512_max_ps(_mm512_max_ps(high[0], high[1]), _mm512_max_ps(high[2], high[3]));
  return {_mm512_reduce_min_ps(lows), _mm512_reduce_max_ps(highs)};
}

}  // namespace assay::kernels
