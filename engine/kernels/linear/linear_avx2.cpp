// SPDX-License-Identifier: Apache-2.0
// AVX2, 32 elements a step. The last step of a span ends with it and repeats elements of the step before; spans shorter
// than a step go through a buffer, or the portable code. vmaxps and vminps give their second operand for NaN, as the
// comparisons of the portable code do; vcvtps2dq rounds half to even.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/linear/linear_args.h"

namespace assay::kernels {

void quantize_linear(const QuantizeArgs& args);
void dequantize_linear(const DequantizeArgs& args);
void quantize_linear_avx2(const QuantizeArgs& args);
void dequantize_linear_avx2(const DequantizeArgs& args);
FloatRange float_range_avx2(const float* x, std::int64_t count);

namespace {

constexpr std::int64_t kStep = 32;
constexpr std::int64_t kVector = 8;

struct Rounding {
  __m256 scale;
  __m256 low;
  __m256 high;
  __m256i zero_point;
};

std::int32_t lowest(LinearType type) {
  return type == LinearType::kInt8 ? INT8_MIN : type == LinearType::kInt16 ? INT16_MIN : 0;
}

std::int32_t highest(LinearType type) {
  switch (type) {
    case LinearType::kInt8:
      return INT8_MAX;
    case LinearType::kInt16:
      return INT16_MAX;
    case LinearType::kUint16:
      return UINT16_MAX;
    default:
      return UINT8_MAX;
  }
}

__m256i quantized(const float* x, const Rounding& r) {
  const __m256 q = _mm256_div_ps(_mm256_loadu_ps(x), r.scale);
  const __m256 clamped = _mm256_min_ps(_mm256_max_ps(q, r.low), r.high);
  return _mm256_add_epi32(_mm256_cvtps_epi32(clamped), r.zero_point);
}

// Packing works on halves of registers; the permutations put the eighths back in order.
template <LinearType kType>
void quantize_step(const float* x, const Rounding& r, void* y, std::int64_t at) {
  __m256i v[4];
  for (int i = 0; i < 4; ++i) {
    v[i] = quantized(x + at + i * kVector, r);
  }
  if constexpr (kType == LinearType::kInt8 || kType == LinearType::kUint8) {
    const __m256i low = _mm256_packs_epi32(v[0], v[1]);
    const __m256i high = _mm256_packs_epi32(v[2], v[3]);
    const __m256i bytes = kType == LinearType::kInt8 ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(static_cast<std::uint8_t*>(y) + at),
                        _mm256_permutevar8x32_epi32(bytes, order));
  } else {
    for (int half = 0; half < 2; ++half) {
      const __m256i a = v[2 * half];
      const __m256i b = v[2 * half + 1];
      const __m256i words = kType == LinearType::kInt16 ? _mm256_packs_epi32(a, b) : _mm256_packus_epi32(a, b);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(static_cast<std::uint16_t*>(y) + at + half * 16),
                          _mm256_permute4x64_epi64(words, 0xD8));
    }
  }
}

template <LinearType kType, typename T>
void quantize_to(const QuantizeArgs& args) {
  const Rounding r = {_mm256_set1_ps(args.scale), _mm256_set1_ps(static_cast<float>(lowest(kType) - args.zero_point)),
                      _mm256_set1_ps(static_cast<float>(highest(kType) - args.zero_point)),
                      _mm256_set1_epi32(args.zero_point)};
  if (args.count >= kStep) {
    std::int64_t i = 0;
    for (; i + kStep <= args.count; i += kStep) {
      quantize_step<kType>(args.x, r, args.y, i);
    }
    if (i < args.count) {
      quantize_step<kType>(args.x, r, args.y, args.count - kStep);
    }
    return;
  }
  float x[kStep] = {};
  T y[kStep];
  for (std::int64_t i = 0; i < args.count; ++i) {
    x[i] = args.x[i];
  }
  quantize_step<kType>(x, r, y, 0);
  for (std::int64_t i = 0; i < args.count; ++i) {
    static_cast<T*>(args.y)[i] = y[i];
  }
}

template <LinearType kType>
__m256i load(const void* x, std::int64_t at) {
  switch (kType) {
    case LinearType::kInt8:
      return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(static_cast<const char*>(x) + at)));
    case LinearType::kUint8:
      return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(static_cast<const char*>(x) + at)));
    case LinearType::kInt16:
      return _mm256_cvtepi16_epi32(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(static_cast<const std::int16_t*>(x) + at)));
    case LinearType::kUint16:
      return _mm256_cvtepu16_epi32(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(static_cast<const std::int16_t*>(x) + at)));
    default:
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(static_cast<const std::int32_t*>(x) + at));
  }
}

template <LinearType kType>
void dequantize_from(const DequantizeArgs& args) {
  if (args.count < kVector) {
    dequantize_linear(args);
    return;
  }
  const __m256 scale = _mm256_set1_ps(args.scale);
  const __m256i zero_point = _mm256_set1_epi32(args.zero_point);
  const auto vector = [&](std::int64_t at) {
    const __m256i difference = _mm256_sub_epi32(load<kType>(args.x, at), zero_point);
    _mm256_storeu_ps(args.y + at, _mm256_mul_ps(_mm256_cvtepi32_ps(difference), scale));
  };
  std::int64_t i = 0;
  for (; i + kStep <= args.count; i += kStep) {
    vector(i);
    vector(i + kVector);
    vector(i + 2 * kVector);
    vector(i + 3 * kVector);
  }
  for (; i + kVector <= args.count; i += kVector) {
    vector(i);
  }
  if (i < args.count) {
    vector(args.count - kVector);
  }
}

float smallest(const __m256* v) {
  const __m256 m = _mm256_min_ps(_mm256_min_ps(v[0], v[1]), _mm256_min_ps(v[2], v[3]));
  const __m128 quad = _mm_min_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
  const __m128 pair = _mm_min_ps(quad, _mm_movehl_ps(quad, quad));
  return _mm_cvtss_f32(_mm_min_ss(pair, _mm_movehdup_ps(pair)));
}

float largest(const __m256* v) {
  const __m256 m = _mm256_max_ps(_mm256_max_ps(v[0], v[1]), _mm256_max_ps(v[2], v[3]));
  const __m128 quad = _mm_max_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
  const __m128 pair = _mm_max_ps(quad, _mm_movehl_ps(quad, quad));
  return _mm_cvtss_f32(_mm_max_ss(pair, _mm_movehdup_ps(pair)));
}

}  // namespace

void quantize_linear_avx2(const QuantizeArgs& args) {
  switch (args.y_type) {
    case LinearType::kInt8:
      return quantize_to<LinearType::kInt8, std::int8_t>(args);
    case LinearType::kInt16:
      return quantize_to<LinearType::kInt16, std::int16_t>(args);
    case LinearType::kUint16:
      return quantize_to<LinearType::kUint16, std::uint16_t>(args);
    default:
      return quantize_to<LinearType::kUint8, std::uint8_t>(args);
  }
}

void dequantize_linear_avx2(const DequantizeArgs& args) {
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

FloatRange float_range_avx2(const float* x, std::int64_t count) {
  __m256 low[4] = {};
  __m256 high[4] = {};
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (int lane = 0; lane < 4; ++lane) {
      const __m256 v = _mm256_loadu_ps(x + i + lane * kVector);
      low[lane] = _mm256_min_ps(v, low[lane]);  // NaN: the second operand
      high[lane] = _mm256_max_ps(v, high[lane]);
    }
  }
  for (; i + kVector <= count; i += kVector) {
    const __m256 v = _mm256_loadu_ps(x + i);
    low[0] = _mm256_min_ps(v, low[0]);
    high[0] = _mm256_max_ps(v, high[0]);
  }
  FloatRange range = {smallest(low), largest(high)};
  for (; i < count; ++i) {
    range.low = x[i] < range.low ? x[i] : range.low;
    range.high = x[i] > range.high ? x[i] : range.high;
  }
  return range;
}

}  // namespace assay::kernels
