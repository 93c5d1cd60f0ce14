// SPDX-License-Identifier: Apache-2.0
// AVX2. A band of image rows becomes int16 values x - x_zero_point, zero outside the image. Read as int32 lanes, such a
// row holds pairs of neighbours, which vpmaddwd multiplies with two neighbouring weights and adds. For stride 2 the
// lanes are consecutive outputs; for stride 1 they are the even ones, and the odd ones start one element later. The
// sums of 16 outputs are stored, or requantized: vcvtps2dq rounds half to even under the default rounding mode; vmaxps
// and vminps take their second operand where the first is NaN. Wider strides, and rows or kernels too large for the
// buffers, are left to the portable kernel.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {

void depthwise_scalar(const DepthwiseArgs& args);
bool list_depthwise_pairs(const DepthwiseArgs& args, std::int64_t pitch, DepthwisePairs& pairs);

namespace {

constexpr std::int64_t kBand = std::int64_t{12} << 10;  // int16 elements
constexpr std::int64_t kSlack = 64;  // behind the band: read by the last vectors, for outputs that nobody keeps

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

std::int64_t span(std::int64_t outputs, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

// 16 and 8 consecutive values x - x_zero_point.
void fill16(const DepthwiseArgs& args, const std::uint8_t* x, std::int16_t* out) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  const __m256i words = args.x_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
  const __m256i zero_point = _mm256_set1_epi16(static_cast<std::int16_t>(args.x_zero_point));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_sub_epi16(words, zero_point));
}

void fill8(const DepthwiseArgs& args, const std::uint8_t* x, std::int16_t* out) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x));
  const __m128i words = args.x_signed ? _mm_cvtepi8_epi16(bytes) : _mm_cvtepu8_epi16(bytes);
  const __m128i zero_point = _mm_set1_epi16(static_cast<std::int16_t>(args.x_zero_point));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_sub_epi16(words, zero_point));
}

// `count` consecutive values; the last vector overlaps the one before.
void fill_inside(const DepthwiseArgs& args, const std::uint8_t* x, std::int64_t count, std::int16_t* out) {
  if (count >= 16) {
    for (std::int64_t t = 0; t + 16 < count; t += 16) {
      fill16(args, x + t, out + t);
    }
    fill16(args, x + count - 16, out + count - 16);
  } else if (count >= 8) {
    fill8(args, x, out);
    fill8(args, x + count - 8, out + count - 8);
  } else {
    for (std::int64_t t = 0; t < count; ++t) {
      const std::int32_t raw = args.x_signed ? static_cast<std::int8_t>(x[t]) : x[t];
      out[t] = static_cast<std::int16_t>(raw - args.x_zero_point);
    }
  }
}

void fill_zero(std::int16_t* out, std::int64_t count) {
  for (std::int64_t t = 0; t < count; ++t) {
    out[t] = 0;
  }
}

// Columns -pad_left .. pitch - pad_left of image row iy.
void fill_row(const DepthwiseArgs& args, std::int64_t iy, std::int64_t pitch, std::int16_t* out) {
  if (iy < 0 || iy >= args.height) {
    fill_zero(out, pitch);
    return;
  }
  const std::int64_t skipped = args.pad_left < 0 ? -args.pad_left : 0;
  const std::int64_t before = args.pad_left > 0 ? least(args.pad_left, pitch) : 0;
  const std::int64_t available = args.width > skipped ? args.width - skipped : 0;
  const std::int64_t inside = least(available, pitch - before);
  fill_zero(out, before);
  fill_inside(args, static_cast<const std::uint8_t*>(args.x) + iy * args.width + skipped, inside, out + before);
  fill_zero(out + before + inside, pitch - before - inside);
}

__m256i load(const std::int16_t* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
void store(std::int32_t* out, __m256i value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), value); }

// 16 outputs: in order, or the even and the odd ones.
struct Sums {
  __m256i first;
  __m256i second;
};

template <bool kAlternating>
__attribute__((always_inline)) inline Sums in_order(const Sums& sums) {
  if constexpr (!kAlternating) {
    return sums;
  }
  const __m256i low = _mm256_unpacklo_epi32(sums.first, sums.second);   // outputs 0..3 and 8..11
  const __m256i high = _mm256_unpackhi_epi32(sums.first, sums.second);  // outputs 4..7 and 12..15
  return {_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31)};
}

struct Output {
  __m256 scale;
  __m256 low;  // clamp_min - y_zero_point
  __m256 high;
  __m128i zero_point;  // in every byte; the sum wraps to the right byte of either type
};

Output output_of(const DepthwiseArgs& args) {
  return {_mm256_set1_ps(args.scale), _mm256_set1_ps(static_cast<float>(args.clamp_min - args.y_zero_point)),
          _mm256_set1_ps(static_cast<float>(args.clamp_max - args.y_zero_point)),
          _mm_set1_epi8(static_cast<char>(args.y_zero_point))};
}

__attribute__((always_inline)) inline __m256i rounded(__m256i acc, const Output& output) {
  const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(acc), output.scale);
  return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(product, output.low), output.high));
}

template <bool kAlternating>
__attribute__((always_inline)) inline __m128i bytes_of(const Sums& sums, const Output& output) {
  const __m256i byte = _mm256_set1_epi32(0xFF);
  const __m256i first = _mm256_and_si256(rounded(sums.first, output), byte);
  const __m256i second = _mm256_and_si256(rounded(sums.second, output), byte);
  const __m256i words = kAlternating ? _mm256_or_si256(first, _mm256_slli_epi32(second, 16))
                                     : _mm256_permute4x64_epi64(_mm256_packus_epi32(first, second), 0xD8);
  const __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  return _mm_add_epi8(bytes, output.zero_point);
}

// Some output rows, from the first element that they read.
struct Rows {
  const std::int16_t* x = nullptr;
  std::int64_t x_step = 0;  // elements from row to row
  std::int64_t count = 0;
  std::int64_t out_w = 0;
  std::int32_t* sums = nullptr;  // or else bytes
  std::uint8_t* y = nullptr;
};

template <bool kAlternating>
__attribute__((always_inline)) inline void store_sums(const Sums& sums, std::int64_t count, std::int32_t* out) {
  const Sums ordered = in_order<kAlternating>(sums);
  alignas(32) std::int32_t all[16];
  std::int32_t* to = count >= 16 ? out : all;
  store(to, ordered.first);
  store(to + 8, ordered.second);
  for (std::int64_t i = 0; to == all && i < count; ++i) {
    out[i] = all[i];
  }
}

template <bool kAlternating>
__attribute__((always_inline)) inline void store_bytes(const Sums& sums, const Output& output, std::int64_t count,
                                                       std::uint8_t* y) {
  const __m128i bytes = bytes_of<kAlternating>(sums, output);
  if (count >= 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), bytes);
    return;
  }
  alignas(16) std::uint8_t all[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(all), bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = all[i];
  }
}

// kAlternating: stride 1, else 2; kPairs: the number of pairs, or 0 where it is pairs.count.
template <bool kAlternating, int kPairs>
void run_rows(const DepthwisePairs& pairs, std::int32_t bias, const Output& parameters, const Rows& rows) {
  constexpr std::int64_t kStride = kAlternating ? 1 : 2;
  constexpr std::int64_t kSecond = kAlternating ? 1 : 16;  // from the elements of the first sums to those of the second
  const Output output = parameters;
  const __m256i start = _mm256_set1_epi32(bias);
  const int count = kPairs == 0 ? pairs.count : kPairs;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (std::int64_t t = 0; t < rows.out_w; t += 16) {
      const std::int16_t* x = rows.x + r * rows.x_step + t * kStride;
      Sums sums = {start, start};
#pragma GCC unroll 6
      for (int p = 0; p < count; ++p) {
        const __m256i weights = _mm256_set1_epi32(pairs.weights[p]);
        const std::int16_t* at = x + pairs.offset[p];
        sums.first = _mm256_add_epi32(sums.first, _mm256_madd_epi16(load(at), weights));
        sums.second = _mm256_add_epi32(sums.second, _mm256_madd_epi16(load(at + kSecond), weights));
      }
      const std::int64_t to = r * rows.out_w + t;
      if (rows.sums == nullptr) {
        store_bytes<kAlternating>(sums, output, rows.out_w - t, rows.y + to);
      } else {
        store_sums<kAlternating>(sums, rows.out_w - t, rows.sums + to);
      }
    }
  }
}

// 6 pairs: 3 x 3.
void run(const DepthwiseArgs& args, const DepthwisePairs& pairs, const Output& output, const Rows& rows) {
  if (args.stride_w == 1) {
    (pairs.count == 6 ? run_rows<true, 6> : run_rows<true, 0>)(pairs, args.bias, output, rows);
  } else {
    (pairs.count == 6 ? run_rows<false, 6> : run_rows<false, 0>)(pairs, args.bias, output, rows);
  }
}

}  // namespace

void depthwise_avx2(const DepthwiseArgs& args) {
  const std::int64_t pitch = span(args.out_w, args.stride_w, args.kernel_w, args.dilation_w);
  if (args.out_w < 1) {
    return;
  }
  const std::int64_t rows_of_one = (args.kernel_h - 1) * args.dilation_h + 1;
  DepthwisePairs pairs;
  if (args.stride_w > 2 || pitch * rows_of_one > kBand || !list_depthwise_pairs(args, pitch, pairs)) {
    depthwise_scalar(args);
    return;
  }
  alignas(32) std::int16_t band[kBand + kSlack];
  const Output output = output_of(args);
  const std::int64_t most_rows = (kBand / pitch - rows_of_one) / args.stride_h + 1;
  for (std::int64_t oy0 = 0; oy0 < args.out_h; oy0 += most_rows) {
    const std::int64_t rows = least(most_rows, args.out_h - oy0);
    const std::int64_t band_rows = span(rows, args.stride_h, args.kernel_h, args.dilation_h);
    for (std::int64_t r = 0; r < band_rows; ++r) {
      fill_row(args, oy0 * args.stride_h - args.pad_top + r, pitch, band + r * pitch);
    }
    const std::int64_t at = oy0 * args.out_w;
    run(args, pairs, output,
        {.x = band,
         .x_step = args.stride_h * pitch,
         .count = rows,
         .out_w = args.out_w,
         .sums = args.acc == nullptr ? nullptr : args.acc + at,
         .y = args.acc == nullptr ? args.y + at : nullptr});
  }
}

}  // namespace assay::kernels
