// SPDX-License-Identifier: Apache-2.0
// AVX-512, exact for every operand pair: both sides widened to int16, where vpmaddwd adds two products exactly in
// int32. A's rows come widened, with whole groups of two; B: int16 pairs in panels of 16 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 16;
constexpr std::int64_t kGroupBytes = kColumns * 2;

enum class Sign { kSigned, kUnsigned };

__attribute__((always_inline)) inline __m512i broadcast2(const std::uint8_t* a) {
  std::int32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return _mm512_set1_epi32(bytes);
}

__attribute__((always_inline)) inline void add_dot2(__m512i& acc, __m512i a, __m512i b) {
  acc = _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
  asm("" : "+v"(acc));  // one register from step to step; GCC 12 otherwise also stores it every time
}

// A group of one panel, widened. The sign is B's.
template <Sign kSign>
__attribute__((always_inline)) inline __m512i widened_columns(const std::uint8_t* b) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  return kSign == Sign::kSigned ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
}

// The loops over registers are flat, because only flat ones are unrolled early enough to keep acc out of memory.
template <Sign kSign, int kRows, int kPanels>
void run_tile(const GemmTile& tile) {
  constexpr int kTiles = kRows * kPanels;
  constexpr auto kAll = static_cast<__mmask16>(0xFFFF);
  const auto last = static_cast<__mmask16>(0xFFFF >> (kColumns - tile.last_columns));
  __m512i acc[kTiles];
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int p = t % kPanels;
    const std::int32_t* start = tile.start + (t / kPanels) * tile.start_stride + p * kColumns;
    acc[t] = _mm512_maskz_loadu_epi32(p == kPanels - 1 ? last : kAll, start);
    asm("" : "+v"(acc[t]));  // loaded once, into the register where it stays
  }
  const auto* a = static_cast<const std::uint8_t*>(tile.a);
  const auto* b = static_cast<const std::uint8_t*>(tile.b);
  const std::int64_t stride = tile.a_stride_bytes;
  const std::int64_t panel = tile.panel_bytes;
  for (std::int64_t g = 0; g < tile.groups; ++g) {
    __m512i columns[kPanels];
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      columns[p] = widened_columns<kSign>(b + p * panel);
    }
    __m512i row = _mm512_setzero_si512();
#pragma GCC unroll 32
    for (int t = 0; t < kTiles; ++t) {
      if (t % kPanels == 0) {
        row = broadcast2(a + (t / kPanels) * stride);
      }
      add_dot2(acc[t], row, columns[t % kPanels]);
    }
    a += 4;
    b += kGroupBytes;
  }
  std::int32_t* c = tile.c;
  const std::int64_t c_stride = tile.c_stride;
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int p = t % kPanels;
    std::int32_t* to = c + (t / kPanels) * c_stride + p * kColumns;
    _mm512_mask_storeu_epi32(to, p == kPanels - 1 ? last : kAll, acc[t]);
  }
}

// The largest tile has 12 x 2 accumulators; a single row takes up to 8 panels, two rows up to 4.
template <Sign kSign>
void run_single_row(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<kSign, 1, 1>(tile);
    case 2:
      return run_tile<kSign, 1, 2>(tile);
    case 3:
      return run_tile<kSign, 1, 3>(tile);
    case 4:
      return run_tile<kSign, 1, 4>(tile);
    case 5:
      return run_tile<kSign, 1, 5>(tile);
    case 6:
      return run_tile<kSign, 1, 6>(tile);
    case 7:
      return run_tile<kSign, 1, 7>(tile);
    default:
      return run_tile<kSign, 1, 8>(tile);
  }
}

template <Sign kSign>
void run_two_rows(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<kSign, 2, 1>(tile);
    case 2:
      return run_tile<kSign, 2, 2>(tile);
    case 3:
      return run_tile<kSign, 2, 3>(tile);
    default:
      return run_tile<kSign, 2, 4>(tile);
  }
}

template <Sign kSign, int kRows>
void run_rows(const GemmTile& tile) {
  return tile.panels == 1 ? run_tile<kSign, kRows, 1>(tile) : run_tile<kSign, kRows, 2>(tile);
}

template <Sign kSign>
void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_single_row<kSign>(tile);
    case 2:
      return run_two_rows<kSign>(tile);
    case 3:
      return run_rows<kSign, 3>(tile);
    case 4:
      return run_rows<kSign, 4>(tile);
    case 5:
      return run_rows<kSign, 5>(tile);
    case 6:
      return run_rows<kSign, 6>(tile);
    case 7:
      return run_rows<kSign, 7>(tile);
    case 8:
      return run_rows<kSign, 8>(tile);
    case 9:
      return run_rows<kSign, 9>(tile);
    case 10:
      return run_rows<kSign, 10>(tile);
    case 11:
      return run_rows<kSign, 11>(tile);
    default:
      return run_rows<kSign, 12>(tile);
  }
}

}  // namespace

void gemm_tile_signed_b_avx512(const GemmTile& tile) { run<Sign::kSigned>(tile); }
void gemm_tile_unsigned_b_avx512(const GemmTile& tile) { run<Sign::kUnsigned>(tile); }

}  // namespace assay::kernels
