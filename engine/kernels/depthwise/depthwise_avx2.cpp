// SPDX-License-Identifier: Apache-2.0
// AVX2. A band of image rows becomes int16 values x - x_zero_point, zero outside the image. Read as int32 lanes, such a
// row holds pairs of neighbours, which vpmaddwd multiplies with two neighbouring weights and adds. For stride 2 the
// lanes are consecutive outputs. For stride 1 they are the even ones; the odd ones read the same lanes and meet the
// weights moved by one element. The sums of 16 outputs are stored, or requantized: vcvtps2dq rounds half to even under
// the default rounding mode and makes INT32_MIN, hence the lower bound, of NaN and of what is too small; the bound
// below is what the bytes saturate at. Wider strides, and rows or kernels too large for the buffers, are left to the
// portable kernel.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {

void depthwise_scalar(const DepthwiseArgs& args);
bool list_depthwise_pairs(const DepthwiseArgs& args, std::int64_t pitch, DepthwisePairs& pairs);
bool list_depthwise_lanes(const DepthwiseArgs& args, std::int64_t pitch, DepthwiseLanes& lanes);

namespace {

// In int16 elements. A band beside its input and output fits the first-level cache; rows of large images and kernels
// get more, for two windows at least.
constexpr std::int64_t kFilled = std::int64_t{4} << 10;
constexpr std::int64_t kBand = std::int64_t{12} << 10;
constexpr std::int64_t kVector = 16;
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

// `count` consecutive values. After the first vector the stores are aligned; the last overlaps the one before.
void fill_inside(const DepthwiseArgs& args, const std::uint8_t* x, std::int64_t count, std::int64_t to_aligned,
                 std::int16_t* out) {
  if (count >= kVector) {
    fill16(args, x, out);
    for (std::int64_t t = to_aligned; t + kVector < count; t += kVector) {
      fill16(args, x + t, out + t);
    }
    fill16(args, x + count - kVector, out + count - kVector);
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

// Whole vectors, mostly one: a call of memset, which compilers would make of it, takes longer.
void fill_zero(std::int16_t* out, std::int64_t count) {
  for (std::int64_t t = 0; t < count; t += kVector) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + t), _mm256_setzero_si256());
    asm volatile("" ::: "memory");
  }
}

std::int64_t whole_vectors(std::int64_t count) { return (count + kVector - 1) / kVector * kVector; }

// Columns -pad_left .. pitch - pad_left of the image rows from first_row on. A row begins at an aligned address,
// because it is read more often than written, and is whole vectors.
void fill_band(const DepthwiseArgs& args, std::int64_t first_row, std::int64_t rows, std::int64_t pitch,
               std::int16_t* out) {
  const std::int64_t skipped = args.pad_left < 0 ? -args.pad_left : 0;
  const std::int64_t before = args.pad_left > 0 ? least(args.pad_left, pitch) : 0;
  const std::int64_t available = args.width > skipped ? args.width - skipped : 0;
  const std::int64_t inside = least(available, pitch - before);
  const std::int64_t end = (before + inside) / kVector * kVector;  // of the vectors without padding
  for (std::int64_t r = 0; r < rows; ++r, out += pitch) {
    const std::int64_t iy = first_row + r;
    if (iy < 0 || iy >= args.height) {
      fill_zero(out, pitch);
      continue;
    }
    fill_zero(out, whole_vectors(before));
    fill_zero(out + end, pitch - end);
    const std::uint8_t* x = static_cast<const std::uint8_t*>(args.x) + iy * args.width + skipped;
    fill_inside(args, x, inside, whole_vectors(before + 1) - before, out + before);
  }
}

__m256i load(const std::int16_t* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
void store(std::int32_t* out, __m256i value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), value); }

// 16 outputs: in order, or the even and the odd ones.
struct Sums {
  __m256i first;
  __m256i second;
};

// Compilers put sums off until they run out of registers for the products.
__attribute__((always_inline)) inline void keep_here(Sums& sums) {
  asm volatile("" : "+x"(sums.first), "+x"(sums.second));
}

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
  __m256 high;         // clamp_max - y_zero_point
  __m256i zero_point;  // y_zero_point - clamp_min, in every int16
  __m256i low;         // clamp_min in every byte; the sum wraps to the right byte of either type
};

Output output_of(const DepthwiseArgs& args) {
  return {_mm256_set1_ps(args.scale), _mm256_set1_ps(static_cast<float>(args.clamp_max - args.y_zero_point)),
          _mm256_set1_epi16(static_cast<std::int16_t>(args.y_zero_point - args.clamp_min)),
          _mm256_set1_epi8(static_cast<char>(args.clamp_min))};
}

__attribute__((always_inline)) inline __m256i rounded(__m256i acc, const Output& output) {
  const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(acc), output.scale);
  return _mm256_cvtps_epi32(_mm256_min_ps(output.high, product));  // the second operand where one is NaN
}

// y - clamp_min, or less than 0. Of each half of the sums: four of the first, then four of the second.
__attribute__((always_inline)) inline __m256i words_of(const Sums& sums, const Output& output) {
  const __m256i words = _mm256_packs_epi32(rounded(sums.first, output), rounded(sums.second, output));
  return _mm256_adds_epi16(words, output.zero_point);
}

// The bytes of 16 outputs, or of 32 that lie one after the other, from the words of 16 and of 16.
template <bool kAlternating>
__attribute__((always_inline)) inline __m256i bytes_of(__m256i words, __m256i next, const Output& output) {
  const __m256i order = kAlternating ? _mm256_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15,  //
                                                        0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15)
                                     : _mm256_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15,  //
                                                        0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, next), 0xD8);
  return _mm256_add_epi8(_mm256_shuffle_epi8(bytes, order), output.low);
}

// What the elements at an offset from where a window begins meet. Stride 1: weights of the even outputs and of the odd
// ones. Stride 2: the same weights twice, where the second sums read kVector elements later.
struct Taps {
  std::int64_t offset[DepthwisePairs::kMost];
  __m256i first[DepthwisePairs::kMost];
  __m256i second[DepthwisePairs::kMost];
  int count;
};

// False if there are too many.
bool list_taps(const DepthwiseArgs& args, std::int64_t pitch, Taps& taps) {
  static_assert(DepthwiseLanes::kMost == DepthwisePairs::kMost, "one list holds either");
  DepthwiseLanes lanes;
  DepthwisePairs pairs;
  const bool even_and_odd = args.stride_w == 1;
  if (!(even_and_odd ? list_depthwise_lanes(args, pitch, lanes) : list_depthwise_pairs(args, pitch, pairs))) {
    return false;
  }
  taps.count = even_and_odd ? lanes.count : pairs.count;
  for (int i = 0; i < taps.count; ++i) {
    taps.offset[i] = even_and_odd ? lanes.offset[i] : pairs.offset[i];
    taps.first[i] = _mm256_set1_epi32(even_and_odd ? lanes.even[i] : pairs.weights[i]);
    taps.second[i] = _mm256_set1_epi32(even_and_odd ? lanes.odd[i] : pairs.weights[i]);
  }
  return true;
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

// kAlternating: stride 1, else 2; kTaps: the number of taps, or 0 where it is taps.count.
template <bool kAlternating, int kTaps>
struct Worker {
  static constexpr std::int64_t kStride = kAlternating ? 1 : 2;
  static constexpr std::int64_t kSecond = kAlternating ? 0 : kVector;

  const Taps& taps;
  const Output output;
  const __m256i bias;

  // The sums of kVectors times 16 outputs; the first window begins at x.
  template <int kVectors>
  __attribute__((always_inline)) inline void add(const std::int16_t* x, Sums* sums) const {
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = {bias, bias};
    }
    const int count = kTaps == 0 ? taps.count : kTaps;
#pragma GCC unroll 6
    for (int p = 0; p < count; ++p) {
      const __m256i first = taps.first[p];
      const __m256i second = kAlternating ? taps.second[p] : first;
      const std::int16_t* at = x + taps.offset[p];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v, at += kVector * kStride) {
        sums[v].first = _mm256_add_epi32(sums[v].first, _mm256_madd_epi16(load(at), first));
        sums[v].second = _mm256_add_epi32(sums[v].second, _mm256_madd_epi16(load(at + kSecond), second));
        keep_here(sums[v]);
      }
    }
  }

  // The last vector of a row of bytes overlaps the one before.
  __attribute__((always_inline)) inline void row_of_bytes(const std::int16_t* x, std::int64_t out_w,
                                                          std::uint8_t* y) const {
    std::int64_t t = 0;
    for (; t + 2 * kVector <= out_w; t += 2 * kVector) {
      Sums sums[2];
      add<2>(x + t * kStride, sums);
      const __m256i bytes = bytes_of<kAlternating>(words_of(sums[0], output), words_of(sums[1], output), output);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + t), bytes);
    }
    for (; t < out_w; t += kVector) {
      const std::int64_t from = out_w < kVector ? 0 : least(t, out_w - kVector);
      Sums sums[1];
      add<1>(x + from * kStride, sums);
      const __m256i words = words_of(sums[0], output);
      // Of the 16 bytes each half has eight.
      const __m256i all = bytes_of<kAlternating>(words, words, output);
      const __m128i bytes = _mm256_castsi256_si128(all);
      if (out_w >= kVector) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y + from), bytes);
      } else {
        alignas(16) std::uint8_t kept[kVector];
        _mm_store_si128(reinterpret_cast<__m128i*>(kept), bytes);
        for (std::int64_t i = 0; i < out_w; ++i) {
          y[i] = kept[i];
        }
      }
    }
  }

  __attribute__((always_inline)) inline void row_of_sums(const std::int16_t* x, std::int64_t out_w,
                                                         std::int32_t* out) const {
    for (std::int64_t t = 0; t < out_w; t += kVector) {
      Sums sums[1];
      add<1>(x + t * kStride, sums);
      const Sums ordered = in_order<kAlternating>(sums[0]);
      alignas(32) std::int32_t kept[kVector];
      std::int32_t* to = t + kVector <= out_w ? out + t : kept;
      store(to, ordered.first);
      store(to + 8, ordered.second);
      for (std::int64_t i = 0; to == kept && i < out_w - t; ++i) {
        out[t + i] = kept[i];
      }
    }
  }
};

template <bool kAlternating, int kTaps>
void run_rows(const Taps& taps, std::int32_t bias, const Output& output, const Rows& rows) {
  const Worker<kAlternating, kTaps> worker = {taps, output, _mm256_set1_epi32(bias)};
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const std::int16_t* x = rows.x + r * rows.x_step;
    if (rows.sums == nullptr) {
      worker.row_of_bytes(x, rows.out_w, rows.y + r * rows.out_w);
    } else {
      worker.row_of_sums(x, rows.out_w, rows.sums + r * rows.out_w);
    }
  }
}

// 6 taps: 3 x 3.
void run(const DepthwiseArgs& args, const Taps& taps, const Output& output, const Rows& rows) {
  if (args.stride_w == 1) {
    (taps.count == 6 ? run_rows<true, 6> : run_rows<true, 0>)(taps, args.bias, output, rows);
  } else {
    (taps.count == 6 ? run_rows<false, 6> : run_rows<false, 0>)(taps, args.bias, output, rows);
  }
}

}  // namespace

void depthwise_avx2(const DepthwiseArgs& args) {
  if (args.out_w < 1) {
    return;
  }
  const std::int64_t pitch = whole_vectors(span(args.out_w, args.stride_w, args.kernel_w, args.dilation_w));
  const std::int64_t rows_of_one = (args.kernel_h - 1) * args.dilation_h + 1;
  Taps taps;
  if (args.stride_w > 2 || pitch * rows_of_one > kBand || !list_taps(args, pitch, taps)) {
    depthwise_scalar(args);
    return;
  }
  alignas(32) std::int16_t band[kBand + kSlack];
  const Output output = output_of(args);
  const std::int64_t filled = least(kBand, kFilled > 2 * rows_of_one * pitch ? kFilled : 2 * rows_of_one * pitch);
  const std::int64_t most_rows = (filled / pitch - rows_of_one) / args.stride_h + 1;
  for (std::int64_t oy0 = 0; oy0 < args.out_h; oy0 += most_rows) {
    const std::int64_t rows = least(most_rows, args.out_h - oy0);
    const std::int64_t band_rows = span(rows, args.stride_h, args.kernel_h, args.dilation_h);
    fill_band(args, oy0 * args.stride_h - args.pad_top, band_rows, pitch, band);
    const std::int64_t at = oy0 * args.out_w;
    run(args, taps, output,
        {.x = band,
         .x_step = args.stride_h * pitch,
         .count = rows,
         .out_w = args.out_w,
         .sums = args.acc == nullptr ? nullptr : args.acc + at,
         .y = args.acc == nullptr ? args.y + at : nullptr});
  }
}

}  // namespace assay::kernels
