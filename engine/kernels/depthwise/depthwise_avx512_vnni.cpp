// SPDX-License-Identifier: Apache-2.0
// AVX512-VNNI. A band of image rows becomes u8 values (s8 ones plus 128) with the zero point outside the image. Four
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
constexpr std::int64_t kVector = 64;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

__mmask64 first_bytes(std::int64_t count) {
  return count >= kVector ? ~__mmask64{0} : (__mmask64{1} << static_cast<unsigned>(count)) - 1;
}

void fill(std::uint8_t* out, std::int64_t count, __m512i value) {
  for (std::int64_t t = 0; t < count; t += kVector) {
    _mm512_store_si512(out + t, value);
  }
}

void fill_band(const DepthwiseArgs& args, const DepthwiseBandRow& row, std::int64_t first_row, std::int64_t rows,
               std::uint8_t* band) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(args.x_signed ? 0x80 : 0));
  const __m512i padding = _mm512_set1_epi8(static_cast<char>(args.x_zero_point));
  const __m512i flipped = _mm512_xor_si512(padding, flip);
  const std::int64_t whole = row.inside / kVector * kVector;
  const std::int64_t rest = row.inside - whole;
  const __mmask64 rest_mask = first_bytes(rest);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::uint8_t* out = band + r * row.pitch;
    const std::int64_t iy = first_row + r;
    if (iy < 0 || iy >= args.height) {
      fill(out, row.pitch, flipped);
      continue;
    }
    fill(out, row.before, flipped);
    out += row.before;
    const std::uint8_t* x = static_cast<const std::uint8_t*>(args.x) + iy * args.width + row.skipped;
    std::int64_t t = 0;
    for (; t < whole; t += kVector) {
      _mm512_store_si512(out + t, _mm512_xor_si512(_mm512_loadu_si512(x + t), flip));
    }
    if (rest > 0) {
      const __m512i bytes = _mm512_mask_loadu_epi8(padding, rest_mask, x + t);
      _mm512_store_si512(out + t, _mm512_xor_si512(bytes, flip));
      t += kVector;
    }
    fill(out + t, row.pitch - row.before - t, flipped);
  }
}

struct Output {
  __m512i start;  // what the sums start at
  __m512 scale;
  __m512 low;  // clamp_min - y_zero_point
  __m512 high;
  __m512i zero_point;  // in every byte; the sum wraps to the right byte of either type
};

// The low byte of every lane is the result before the zero point is added.
__attribute__((always_inline)) inline __m512i rounded(__m512i acc, const Output& output) {
  const __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(acc), output.scale);
  return _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(product, output.low), output.high));
}

// a where mask has ones, else b.
__attribute__((always_inline)) inline __m512i select(__m512i mask, __m512i a, __m512i b) {
  return _mm512_ternarylogic_epi32(mask, a, b, 0xCA);
}

// The low bytes of the lanes of `phases` vectors in turn.
template <int kPhases>
__attribute__((always_inline)) inline void store_bytes(const __m512i (&acc)[kPhases], const Output& output,
                                                       __mmask64 mask, std::uint8_t* y) {
  const __m512i byte = _mm512_set1_epi32(0xFF);
  if constexpr (kPhases == 4) {
    const __m512i low = select(byte, rounded(acc[0], output), _mm512_slli_epi32(rounded(acc[1], output), 8));
    const __m512i high = select(byte, rounded(acc[2], output), _mm512_slli_epi32(rounded(acc[3], output), 8));
    const __m512i bytes = select(_mm512_set1_epi32(0xFFFF), low, _mm512_slli_epi32(high, 16));
    _mm512_mask_storeu_epi8(y, mask, _mm512_add_epi8(bytes, output.zero_point));
  } else if constexpr (kPhases == 2) {
    const __m512i pairs = select(byte, rounded(acc[0], output), _mm512_slli_epi32(rounded(acc[1], output), 8));
    const __m256i bytes = _mm512_cvtepi32_epi16(pairs);
    _mm256_mask_storeu_epi8(y, static_cast<__mmask32>(mask),
                            _mm256_add_epi8(bytes, _mm512_castsi512_si256(output.zero_point)));
  } else {
    const __m128i bytes = _mm512_cvtepi32_epi8(rounded(acc[0], output));
    _mm_mask_storeu_epi8(y, static_cast<__mmask16>(mask),
                         _mm_add_epi8(bytes, _mm512_castsi512_si128(output.zero_point)));
  }
}

// The lanes of the vectors in turn.
template <int kPhases>
__attribute__((always_inline)) inline void store_sums(const __m512i (&acc)[kPhases], std::int64_t count,
                                                      std::int32_t* out) {
  const __m512i step = _mm512_set1_epi32(kPhases);
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i at = _mm512_mullo_epi32(lane, step);
#pragma GCC unroll 4
  for (int k = 0; k < kPhases; ++k) {
    const __m512i index = _mm512_add_epi32(at, _mm512_set1_epi32(k));
    const __mmask16 kept = _mm512_cmplt_epi32_mask(index, _mm512_set1_epi32(static_cast<std::int32_t>(count)));
    _mm512_mask_i32scatter_epi32(out, kept, index, acc[k], 4);
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
  constexpr std::int64_t kOutputs = 16 * kPhases;
  constexpr std::int64_t kStride = 4 / kPhases;
  const Output output = parameters;
  const int count = kQuads == 0 ? quads.count : kQuads;
  const __mmask64 last = first_bytes((rows.out_w - 1) % kOutputs + 1);
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const std::uint8_t* x = rows.x + r * rows.x_step;
    for (std::int64_t t = 0; t < rows.out_w; t += kOutputs) {
      __m512i acc[kPhases];
#pragma GCC unroll 4
      for (int k = 0; k < kPhases; ++k) {
        acc[k] = output.start;
      }
#pragma GCC unroll 10
      for (int q = 0; q < count; ++q) {
        const __m512i weights = _mm512_set1_epi32(quads.weights[q]);
        const std::uint8_t* at = x + t * kStride + quads.offset[q];
#pragma GCC unroll 4
        for (int k = 0; k < kPhases; ++k) {
          acc[k] = _mm512_dpbusd_epi32(acc[k], _mm512_loadu_si512(at + k * kStride), weights);
        }
      }
      const std::int64_t left = rows.out_w - t;
      const std::int64_t to = r * rows.out_w + t;
      if (rows.sums == nullptr) {
        store_bytes<kPhases>(acc, output, left > kOutputs ? ~__mmask64{0} : last, rows.y + to);
      } else {
        store_sums<kPhases>(acc, least(left, kOutputs), rows.sums + to);
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
  return {_mm512_set1_epi32(static_cast<std::int32_t>(start)), _mm512_set1_ps(args.scale),
          _mm512_set1_ps(static_cast<float>(args.clamp_min - args.y_zero_point)),
          _mm512_set1_ps(static_cast<float>(args.clamp_max - args.y_zero_point)),
          _mm512_set1_epi8(static_cast<char>(args.y_zero_point))};
}

}  // namespace

void depthwise_avx512_vnni(const DepthwiseArgs& args) {
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
