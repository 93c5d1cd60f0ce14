// SPDX-License-Identifier: Apache-2.0
// AVX512. A register has one lane for each of four tiles of 16 x 16, which the unpacks transpose at once: tiles below
// each other, so that whole cache lines are written, or beside each other where there are fewer rows. The last tiles of
// a direction overlap those before; smaller matrices are left to AVX2.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/transpose/transpose_args.h"

namespace assay::kernels {

void transpose_bytes_avx2(const ByteTransposeArgs& args);

namespace {

constexpr std::int64_t kShort = 16;
constexpr std::int64_t kLong = 64;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// Interleaving row i with row i + 8 is a rotation of the 8-bit element address by one; four of them swap its halves.
__attribute__((always_inline)) inline void interleave(const __m512i (&in)[16], __m512i (&out)[16]) {
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    out[2 * i] = _mm512_unpacklo_epi8(in[i], in[i + 8]);
    out[2 * i + 1] = _mm512_unpackhi_epi8(in[i], in[i + 8]);
  }
}

__attribute__((always_inline)) inline void transpose(__m512i (&tile)[16]) {
  __m512i other[16];
  interleave(tile, other);
  interleave(other, tile);
  interleave(tile, other);
  interleave(other, tile);
}

__m128i* at(std::uint8_t* to) { return reinterpret_cast<__m128i*>(to); }
__m128i load(const std::uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

// 16 rows of 64 columns.
void transpose_beside(const std::uint8_t* from, std::int64_t from_stride, std::uint8_t* to, std::int64_t to_stride) {
  __m512i tile[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    tile[i] = _mm512_loadu_si512(from + i * from_stride);
  }
  transpose(tile);
#pragma GCC unroll 16
  for (int j = 0; j < 16; ++j) {
    _mm_storeu_si128(at(to + j * to_stride), _mm512_castsi512_si128(tile[j]));
    _mm_storeu_si128(at(to + (j + 16) * to_stride), _mm512_extracti32x4_epi32(tile[j], 1));
    _mm_storeu_si128(at(to + (j + 32) * to_stride), _mm512_extracti32x4_epi32(tile[j], 2));
    _mm_storeu_si128(at(to + (j + 48) * to_stride), _mm512_extracti32x4_epi32(tile[j], 3));
  }
}

// 64 rows of 16 columns.
void transpose_below(const std::uint8_t* from, std::int64_t from_stride, std::uint8_t* to, std::int64_t to_stride) {
  __m512i tile[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    __m512i lanes = _mm512_castsi128_si512(load(from + i * from_stride));
    lanes = _mm512_inserti32x4(lanes, load(from + (i + 16) * from_stride), 1);
    lanes = _mm512_inserti32x4(lanes, load(from + (i + 32) * from_stride), 2);
    tile[i] = _mm512_inserti32x4(lanes, load(from + (i + 48) * from_stride), 3);
  }
  transpose(tile);
#pragma GCC unroll 16
  for (int j = 0; j < 16; ++j) {
    _mm512_storeu_si512(to + j * to_stride, tile[j]);
  }
}

using TransposeTiles = void (*)(const std::uint8_t*, std::int64_t, std::uint8_t*, std::int64_t);

// Tiles of `rows` x `columns`, rows of `to` after one another.
void transpose_all(const ByteTransposeArgs& args, std::int64_t rows, std::int64_t columns, TransposeTiles tiles) {
  for (std::int64_t column = 0; column < args.columns; column += columns) {
    const std::int64_t j = least(column, args.columns - columns);
    for (std::int64_t row = 0; row < args.rows; row += rows) {
      const std::int64_t i = least(row, args.rows - rows);
      tiles(args.from + i * args.from_stride + j, args.from_stride, args.to + j * args.to_stride + i, args.to_stride);
    }
  }
}

}  // namespace

void transpose_bytes_avx512(const ByteTransposeArgs& args) {
  if (args.rows >= kLong && args.columns >= kShort) {
    transpose_all(args, kLong, kShort, transpose_below);
  } else if (args.rows >= kShort && args.columns >= kLong) {
    transpose_all(args, kShort, kLong, transpose_beside);
  } else {
    transpose_bytes_avx2(args);
  }
}

}  // namespace assay::kernels
