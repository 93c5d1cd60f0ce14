// SPDX-License-Identifier: Apache-2.0
// AVX-512, exact for every operand pair: both sides widened to int16, where vpmaddwd adds two products exactly in
// int32. A's rows come widened, with whole groups of two; B: int16 pairs in panels of 16 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 16;
constexpr std::int64_t kGroupBytes = kColumns * 4;

__attribute__((always_inline)) inline __m512i broadcast2(const std::uint8_t* a) {
  std::int32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return _mm512_set1_epi32(bytes);
}

__attribute__((always_inline)) inline void add_dot2(__m512i& acc, __m512i a, __m512i b) {
  acc = _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
  asm("" : "+v"(acc));  // one register from step to step; GCC 12 otherwise also stores it every time
}

// The loops over registers are flat, because only flat ones are unrolled early enough to keep acc out of memory.
template <int kRows, int kPanels>
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
      columns[p] = _mm512_loadu_si512(b + p * panel);
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

// The largest tile has 6 x 4 accumulators; a single row takes up to 8 panels.
template <int kRows>
void run_row_tile(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<kRows, 1>(tile);
    case 2:
      return run_tile<kRows, 2>(tile);
    case 3:
      return run_tile<kRows, 3>(tile);
    default:
      return run_tile<kRows, 4>(tile);
  }
}

void run_single_row(const GemmTile& tile) {
  switch (tile.panels) {
    case 5:
      return run_tile<1, 5>(tile);
    case 6:
      return run_tile<1, 6>(tile);
    case 7:
      return run_tile<1, 7>(tile);
    case 8:
      return run_tile<1, 8>(tile);
    default:
      return run_row_tile<1>(tile);
  }
}

void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_single_row(tile);
    case 2:
      return run_row_tile<2>(tile);
    case 3:
      return run_row_tile<3>(tile);
    case 4:
      return run_row_tile<4>(tile);
    case 5:
      return run_row_tile<5>(tile);
    default:
      return run_row_tile<6>(tile);
  }
}

}  // namespace

void gemm_tile_int16_avx512(const GemmTile& tile) { run(tile); }

}  // namespace assay::kernels
