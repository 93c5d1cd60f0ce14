// SPDX-License-Identifier: Apache-2.0
// AVX-VNNI. A band of image rows becomes u8 values (s8 ones plus 128) with the zero point outside the image. Four
// neighbouring bytes meet four weights in one vpdpbusd: read from byte k on, the int32 lanes hold the outputs that
// start at the bytes k, k + 4, k + 8, ...; so 4 / stride reads give neighbouring outputs in turn, which are merged when
// they are bytes. Weights are w - w_zero_point as s8; what s8 cannot hold is a further quad at the same place. Other
// strides than 1, 2 and 4, and rows or kernels too large for the buffers, are left to the portable kernel.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {

void depthwise_scalar(const DepthwiseArgs& args);
DepthwiseBandRow depthwise_band_row(const DepthwiseArgs& args, std::int64_t vector_bytes);
bool list_depthwise_quads(const DepthwiseArgs& args, std::int64_t pitch, DepthwiseQuads& quads);

namespace {

constexpr std::int64_t kBand = std::int64_t{24} << 10;
constexpr std::int64_t kSlack =
    192;  // behind the band: filled and read with its last vectors, for nothing that is kept
constexpr std::int64_t kVector = 32;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

__m256i load(const std::uint8_t* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
void store(std::uint8_t* out, __m256i value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), value); }

void fill(std::uint8_t* out, std::int64_t count, __m256i value) {
  for (std::int64_t t = 0; t < count; t += kVector) {
    store(out + t, value);
  }
}

// `count` bytes; the last vector overlaps the one before.
void copy(const std::uint8_t* x, std::int64_t count, __m256i flip, std::uint8_t* out) {
  if (count >= kVector) {
    for (std::int64_t t = 0; t < count; t += kVector) {
      const std::int64_t at = least(t, count - kVector);
      store(out + at, _mm256_xor_si256(load(x + at), flip));
    }
    return;
  }
  const auto mask = static_cast<std::uint8_t>(_mm256_extract_epi8(flip, 0));
  for (std::int64_t t = 0; t < count; ++t) {
    out[t] = static_cast<std::uint8_t>(x[t] ^ mask);
  }
}

void fill_band(const DepthwiseArgs& args, const DepthwiseBandRow& row, std::int64_t first_row, std::int64_t rows,
               std::uint8_t* band) {
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(args.x_signed ? 0x80 : 0));
  const __m256i padding = _mm256_xor_si256(_mm256_set1_epi8(static_cast<char>(args.x_zero_point)), flip);
  const std::int64_t last = row.inside - row.inside % kVector;  // the vector where padding begins
  for (std::int64_t r = 0; r < rows; ++r) {
    std::uint8_t* out = band + r * row.pitch;
    const std::int64_t iy = first_row + r;
    if (iy < 0 || iy >= args.height) {
      fill(out, row.pitch, padding);
      continue;
    }
    fill(out, row.before, padding);
    out += row.before;
    fill(out + last, row.pitch - row.before - last, padding);
    const std::uint8_t* x = static_cast<const std::uint8_t*>(args.x) + iy * args.width + row.skipped;
    copy(x, row.inside, flip, out);
  }
}

struct Output {
  __m256i start;  // what the sums start at
  __m256 scale;
  __m256 low;  // clamp_min - y_zero_point
  __m256 high;
  __m256i zero_point;  // in every byte; the sum wraps to the right byte of either type
};

// The low byte of every lane is the result before the zero point is added.
__attribute__((always_inline)) inline __m256i rounded(__m256i acc, const Output& output) {
  const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(acc), output.scale);
  return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(product, output.low), output.high));
}

// The low bytes of the lanes of the vectors in turn.
template <int kPhases>
__attribute__((always_inline)) inline void store_bytes(const __m256i (&acc)[kPhases], const Output& output,
                                                       std::int64_t count, std::uint8_t* y) {
  constexpr std::int64_t kBytes = 8 * kPhases;
  const __m256i byte = _mm256_set1_epi32(0xFF);
  __m256i bytes = _mm256_and_si256(rounded(acc[0], output), byte);
  if constexpr (kPhases >= 2) {
    bytes = _mm256_or_si256(bytes, _mm256_slli_epi32(rounded(acc[1], output), 8));
  }
  if constexpr (kPhases == 4) {
    const __m256i third = _mm256_and_si256(rounded(acc[2], output), byte);
    const __m256i high = _mm256_or_si256(third, _mm256_slli_epi32(rounded(acc[3], output), 8));
    bytes = _mm256_blend_epi16(bytes, _mm256_slli_epi32(high, 16), 0xAA);
  } else {
    // The two low bytes of every lane, or the low one, to the front.
    const __m256i order = kPhases == 2 ? _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, 0,
                                                          1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1)
                                       : _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                          0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i halves = _mm256_shuffle_epi8(bytes, order);
    bytes = kPhases == 2 ? _mm256_permute4x64_epi64(halves, 0x08)
                         : _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 4, 1, 1, 1, 1, 1, 1));
  }
  bytes = _mm256_add_epi8(bytes, output.zero_point);
  if (kPhases == 4 && count >= kBytes) {
    store(y, bytes);
    return;
  }
  alignas(32) std::uint8_t all[kVector];
  store(all, bytes);
  if (count >= kBytes) {
    __builtin_memcpy(y, all, kBytes);
    return;
  }
  for (std::int64_t t = 0; t < count; ++t) {
    y[t] = all[t];
  }
}

// The lanes of the vectors in turn.
template <int kPhases>
__attribute__((always_inline)) inline void store_sums(const __m256i (&acc)[kPhases], std::int64_t count,
                                                      std::int32_t* out) {
  alignas(32) std::int32_t all[kPhases][8];
#pragma GCC unroll 4
  for (int k = 0; k < kPhases; ++k) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(all[k]), acc[k]);
  }
  for (std::int64_t t = 0; t < count; ++t) {
    out[t] = all[t % kPhases][t / kPhases];
  }
}

// Some output rows, from the first byte that they read.
struct Rows {
  const std::uint8_t* x = nullptr;
  std::int64_t x_step = 0;  // bytes from row to row
  std::int64_t count = 0;
  std::int64_t out_w = 0;
  std::int32_t* sums = nullptr;  // or else bytes
  std::uint8_t* y = nullptr;
};

// kPhases = 4 / stride; kQuads: the number of quads, or 0 where it is quads.count.
template <int kPhases, int kQuads>
void run_rows(const DepthwiseQuads& quads, const Output& parameters, const Rows& rows) {
  constexpr std::int64_t kOutputs = 8 * kPhases;
  constexpr std::int64_t kStride = 4 / kPhases;
  const Output output = parameters;
  const int count = kQuads == 0 ? quads.count : kQuads;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const std::uint8_t* x = rows.x + r * rows.x_step;
    for (std::int64_t t = 0; t < rows.out_w; t += kOutputs) {
      __m256i acc[kPhases];
#pragma GCC unroll 4
      for (int k = 0; k < kPhases; ++k) {
        acc[k] = output.start;
      }
#pragma GCC unroll 10
      for (int q = 0; q < count; ++q) {
        const __m256i weights = _mm256_set1_epi32(quads.weights[q]);
        const std::uint8_t* at = x + t * kStride + quads.offset[q];
#pragma GCC unroll 4
        for (int k = 0; k < kPhases; ++k) {
          acc[k] = _mm256_dpbusd_avx_epi32(acc[k], load(at + k * kStride), weights);
        }
      }
      const std::int64_t to = r * rows.out_w + t;
      if (rows.sums == nullptr) {
        store_bytes<kPhases>(acc, output, rows.out_w - t, rows.y + to);
      } else {
        store_sums<kPhases>(acc, least(rows.out_w - t, kOutputs), rows.sums + to);
      }
    }
  }
}

using RunRows = void (*)(const DepthwiseQuads&, const Output&, const Rows&);

template <int kPhases>
RunRows rows_function(int quads) {
  switch (quads) {
    case 3:
      return run_rows<kPhases, 3>;
    case 10:
      return run_rows<kPhases, 10>;
    default:
      return run_rows<kPhases, 0>;
  }
}

RunRows rows_function(std::int64_t stride, int quads) {
  switch (stride) {
    case 1:
      return rows_function<4>(quads);
    case 2:
      return rows_function<2>(quads);
    default:
      return rows_function<1>(quads);
  }
}

Output output_of(const DepthwiseArgs& args, const DepthwiseQuads& quads) {
  const std::int32_t zero_point = args.x_zero_point + (args.x_signed ? 128 : 0);
  const std::uint32_t start =
      static_cast<std::uint32_t>(args.bias) - static_cast<std::uint32_t>(zero_point) * quads.sum;
  return {_mm256_set1_epi32(static_cast<std::int32_t>(start)), _mm256_set1_ps(args.scale),
          _mm256_set1_ps(static_cast<float>(args.clamp_min - args.y_zero_point)),
          _mm256_set1_ps(static_cast<float>(args.clamp_max - args.y_zero_point)),
          _mm256_set1_epi8(static_cast<char>(args.y_zero_point))};
}

}  // namespace

void depthwise_avx_vnni(const DepthwiseArgs& args) {
  if (args.out_w < 1) {
    return;
  }
  const DepthwiseBandRow row = depthwise_band_row(args, kVector);
  const std::int64_t rows_of_one = (args.kernel_h - 1) * args.dilation_h + 1;
  DepthwiseQuads quads;
  const bool fits = args.stride_w <= 4 && args.stride_w != 3 && row.pitch * rows_of_one <= kBand;
  if (!fits || !list_depthwise_quads(args, row.pitch, quads)) {
    depthwise_scalar(args);
    return;
  }
  alignas(64) std::uint8_t band[kBand + kSlack];
  const Output output = output_of(args, quads);
  const RunRows run = rows_function(args.stride_w, quads.count);
  const std::int64_t most_rows = (kBand / row.pitch - rows_of_one) / args.stride_h + 1;
  for (std::int64_t oy0 = 0; oy0 < args.out_h; oy0 += most_rows) {
    const std::int64_t rows = least(most_rows, args.out_h - oy0);
    const std::int64_t band_rows = (rows - 1) * args.stride_h + rows_of_one;
    fill_band(args, row, oy0 * args.stride_h - args.pad_top, band_rows, band);
    const std::int64_t at = oy0 * args.out_w;
    run(quads, output,
        {.x = band + row.first,
         .x_step = args.stride_h * row.pitch,
         .count = rows,
         .out_w = args.out_w,
         .sums = args.acc == nullptr ? nullptr : args.acc + at,
         .y = args.acc == nullptr ? args.y + at : nullptr});
  }
}

}  // namespace assay::kernels
