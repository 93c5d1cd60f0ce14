// SPDX-License-Identifier: Apache-2.0
// AVX2: 32 columns at a time, then 8, the last ones one by one through the same vector. vcvtps2dq rounds half to even
// under the default rounding mode; vmaxps and vminps take their second operand where the first is NaN.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/requantize/requantize_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kLanes = 8;

struct Output {
  __m256 low;  // clamp_min - y_zero_point
  __m256 high;
  __m256i zero_point;  // in every byte; the sum wraps to the right byte of either type
};

// What 8 columns are made of.
struct Columns {
  const std::int32_t* acc;
  const std::int32_t* offset;
  const std::int32_t* b_zero_point;
  const float* scale;
};

__m256i load(const std::int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

// 8 columns, before the zero point is added; only the low byte is kept.
template <bool kShifted>
__attribute__((always_inline)) inline __m256i convert(const Columns& columns, std::int64_t j, __m256i row_sum,
                                                      const Output& output) {
  __m256i v = _mm256_add_epi32(load(columns.acc + j), load(columns.offset + j));
  if constexpr (kShifted) {
    v = _mm256_sub_epi32(v, _mm256_mullo_epi32(load(columns.b_zero_point + j), row_sum));
  }
  const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_loadu_ps(columns.scale + j));
  const __m256i rounded = _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(product, output.low), output.high));
  return _mm256_and_si256(rounded, _mm256_set1_epi32(0xFF));
}

// The low bytes of the 8 lanes, zero point added.
__attribute__((always_inline)) inline std::int64_t bytes_of(__m256i v, const Output& output) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(v, zero), zero);
  const __m128i joined = _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  return _mm_cvtsi128_si64(_mm_add_epi8(joined, _mm256_castsi256_si128(output.zero_point)));
}

template <bool kShifted>
void run_tail(const Columns& columns, std::int64_t j, std::int64_t count, __m256i row_sum, const Output& output,
              std::uint8_t* y) {
  std::int32_t acc[kLanes] = {};
  std::int32_t offset[kLanes] = {};
  std::int32_t b_zero_point[kLanes] = {};
  float scale[kLanes] = {};
  for (std::int64_t t = 0; t < count; ++t) {
    acc[t] = columns.acc[j + t];
    offset[t] = columns.offset[j + t];
    b_zero_point[t] = kShifted ? columns.b_zero_point[j + t] : 0;
    scale[t] = columns.scale[j + t];
  }
  std::int64_t bytes = bytes_of(convert<kShifted>({acc, offset, b_zero_point, scale}, 0, row_sum, output), output);
  for (std::int64_t t = 0; t < count; ++t) {
    y[j + t] = static_cast<std::uint8_t>(bytes & 0xFF);
    bytes >>= 8;
  }
}

template <bool kShifted>
void run(const RequantizeArgs& args) {
  const Output output = {_mm256_set1_ps(static_cast<float>(args.clamp_min - args.y_zero_point)),
                         _mm256_set1_ps(static_cast<float>(args.clamp_max - args.y_zero_point)),
                         _mm256_set1_epi8(static_cast<char>(args.y_zero_point))};
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const Columns columns = {args.acc + i * args.acc_stride, args.column_offset, args.b_zero_point, args.scale};
    std::uint8_t* y = static_cast<std::uint8_t*>(args.y) + i * args.y_row_stride_bytes;
    const __m256i row_sum = _mm256_set1_epi32(kShifted ? args.row_sum[i] : 0);
    std::int64_t j = 0;
    for (; j + 4 * kLanes <= args.columns; j += 4 * kLanes) {
      __m256i v[4];
#pragma GCC unroll 4
      for (int t = 0; t < 4; ++t) {
        v[t] = convert<kShifted>(columns, j + t * kLanes, row_sum, output);
      }
      const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(v[0], v[1]), _mm256_packus_epi32(v[2], v[3]));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + j),
                          _mm256_add_epi8(_mm256_permutevar8x32_epi32(bytes, order), output.zero_point));
    }
    for (; j + kLanes <= args.columns; j += kLanes) {
      const std::int64_t bytes = bytes_of(convert<kShifted>(columns, j, row_sum, output), output);
      __builtin_memcpy(y + j, &bytes, sizeof bytes);
    }
    if (j < args.columns) {
      run_tail<kShifted>(columns, j, args.columns - j, row_sum, output, y);
    }
  }
}

}  // namespace

void requantize_avx2(const RequantizeArgs& args) {
  if (args.b_zero_point == nullptr) {
    run<false>(args);
  } else {
    run<true>(args);
  }
}

}  // namespace assay::kernels
