// SPDX-License-Identifier: Apache-2.0
// AVX2. A register holds 16 bytes of row i in its low half and 16 bytes further right, or of row i + 16, in its high
// half, so that the unpacks transpose two tiles of 16 x 16 at once. The last tile of a direction overlaps the one
// before. 2 to 15 rows: 16 columns at a time become pixels of `rows` bytes, each stored with the bytes of the next ones
// to come behind it. 2 to 15 columns without a gap: rows are read with the bytes of the next ones behind them.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/transpose/transpose_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kTile = 16;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

const __m128i* at(const std::uint8_t* from) { return reinterpret_cast<const __m128i*>(from); }

// Interleaving row i with row i + 8 is a rotation of the 8-bit element address by one; four of them swap its halves.
__attribute__((always_inline)) inline void interleave(const __m256i (&in)[16], __m256i (&out)[16]) {
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    out[2 * i] = _mm256_unpacklo_epi8(in[i], in[i + 8]);
    out[2 * i + 1] = _mm256_unpackhi_epi8(in[i], in[i + 8]);
  }
}

__attribute__((always_inline)) inline void transpose(__m256i (&tile)[16]) {
  __m256i other[16];
  interleave(tile, other);
  interleave(other, tile);
  interleave(tile, other);
  interleave(other, tile);
}

// The tiles at `from` and at `from + from_step`; the second goes to `to + to_step`. `columns` of the 16 are stored.
__attribute__((always_inline)) inline void transpose_tiles(const ByteTransposeArgs& args, const std::uint8_t* from,
                                                           std::int64_t from_step, std::uint8_t* to,
                                                           std::int64_t to_step, std::int64_t columns) {
  __m256i tile[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    const std::uint8_t* row = from + i * args.from_stride;
    tile[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(at(row))),
                                      _mm_loadu_si128(at(row + from_step)), 1);
  }
  transpose(tile);
#pragma GCC unroll 16
  for (int j = 0; j < 16; ++j) {
    if (j == columns) {
      return;
    }
    std::uint8_t* row = to + j * args.to_stride;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row), _mm256_castsi256_si128(tile[j]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row + to_step), _mm256_extracti128_si256(tile[j], 1));
  }
}

void transpose_narrow(const ByteTransposeArgs& args, std::int64_t first_row, std::int64_t first_column) {
  for (std::int64_t j = first_column; j < args.columns; ++j) {
    for (std::int64_t i = first_row; i < args.rows; ++i) {
      args.to[j * args.to_stride + i] = args.from[i * args.from_stride + j];
    }
  }
}

// Pixels of fewer than 16 bytes without a gap. Returns the number of columns done.
std::int64_t transpose_pixels(const ByteTransposeArgs& args) {
  // 32 columns write up to 15 bytes of the columns behind them, which must be there and come later.
  const std::int64_t spill = (16 - 1) / args.rows;
  std::int64_t j = 0;
  for (; j + 2 * kTile + spill <= args.columns; j += 2 * kTile) {
    __m256i tile[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      const std::uint8_t* row = args.from + i * args.from_stride + j;
      tile[i] = i < args.rows ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)) : _mm256_setzero_si256();
    }
    transpose(tile);
    std::uint8_t* to = args.to + j * args.rows;
#pragma GCC unroll 16
    for (int t = 0; t < 16; ++t) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + t * args.rows), _mm256_castsi256_si128(tile[t]));
    }
    to += kTile * args.rows;
#pragma GCC unroll 16
    for (int t = 0; t < 16; ++t) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + t * args.rows), _mm256_extracti128_si256(tile[t], 1));
    }
  }
  return j;
}

// Rows of fewer than 16 bytes without a gap. Returns the number of rows done.
std::int64_t transpose_split(const ByteTransposeArgs& args) {
  // 32 rows read up to 15 bytes of the rows behind them.
  const std::int64_t spill = (16 - 1) / args.columns;
  std::int64_t i = 0;
  for (; i + 2 * kTile + spill <= args.rows; i += 2 * kTile) {
    transpose_tiles(args, args.from + i * args.columns, kTile * args.columns, args.to + i, kTile, args.columns);
  }
  return i;
}

}  // namespace

void transpose_bytes_avx2(const ByteTransposeArgs& args) {
  if (args.rows < kTile || args.columns < kTile) {
    const bool pixels = args.rows > 1 && args.rows < kTile && args.to_stride == args.rows;
    const bool split = args.columns > 1 && args.columns < kTile && args.from_stride == args.columns && !pixels;
    transpose_narrow(args, split ? transpose_split(args) : 0, pixels ? transpose_pixels(args) : 0);
    return;
  }
  for (std::int64_t column = 0; column < args.columns; column += kTile) {
    const std::int64_t j = least(column, args.columns - kTile);
    for (std::int64_t row = 0; row < args.rows; row += 2 * kTile) {
      const std::int64_t i = least(row, args.rows - kTile);
      const std::int64_t second = least(i + kTile, args.rows - kTile) - i;  // rows further down
      transpose_tiles(args, args.from + i * args.from_stride + j, second * args.from_stride,
                      args.to + j * args.to_stride + i, second, kTile);
    }
  }
}

}  // namespace assay::kernels
