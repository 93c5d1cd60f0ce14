// SPDX-License-Identifier: Apache-2.0
// AVX-512 without VNNI, u8 x s8: vpmaddubsw adds pairs of products in int16 with saturation, vpmaddwd with ones adds
// two pair sums exactly. B: quads in panels of 16 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 16;
constexpr std::int64_t kGroupBytes = kColumns * 4;

struct Tile {
  const std::uint8_t* a;
  std::int64_t a_stride;
  const std::uint8_t* b;
  std::int64_t panel_bytes;
  std::int64_t groups;
  std::int32_t* c;
  std::int64_t c_stride;
  __mmask16 last_columns;  // valid columns of the last panel
};

__attribute__((always_inline)) inline __m512i broadcast4(const std::uint8_t* a) {
  std::int32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return _mm512_set1_epi32(bytes);
}

__attribute__((always_inline)) inline void add_dot4(__m512i& acc, __m512i a, __m512i b) {
  const __m512i pairs = _mm512_maddubs_epi16(a, b);
  acc = _mm512_add_epi32(acc, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  asm("" : "+v"(acc));  // one register from step to step; GCC 12 otherwise also stores it every time
}

// The loops over registers are flat, because only flat ones are unrolled early enough to keep acc out of memory.
template <int kRows, int kPanels>
void run_tile(const Tile& tile) {
  constexpr int kTiles = kRows * kPanels;
  __m512i acc[kTiles];
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    acc[t] = _mm512_setzero_si512();
  }
  const std::uint8_t* a = tile.a;
  const std::uint8_t* b = tile.b;
  for (std::int64_t g = 0; g < tile.groups; ++g) {
    __m512i columns[kPanels];
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) {
      columns[p] = _mm512_loadu_si512(b + p * tile.panel_bytes);
    }
    __m512i row = _mm512_setzero_si512();
#pragma GCC unroll 32
    for (int t = 0; t < kTiles; ++t) {
      if (t % kPanels == 0) {
        row = broadcast4(a + (t / kPanels) * tile.a_stride);
      }
      add_dot4(acc[t], row, columns[t % kPanels]);
    }
    a += 4;
    b += kGroupBytes;
  }
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int p = t % kPanels;
    const __mmask16 mask = p == kPanels - 1 ? tile.last_columns : static_cast<__mmask16>(0xFFFF);
    _mm512_mask_storeu_epi32(tile.c + (t / kPanels) * tile.c_stride + p * kColumns, mask, acc[t]);
  }
}

// All rows of kPanels panels: kRows at a time, then 4, then 1.
template <int kRows, int kPanels>
void run_slab(Tile tile, std::int64_t m) {
  while (m > 0) {
    std::int64_t rows = 1;
    if (m >= kRows) {
      run_tile<kRows, kPanels>(tile);
      rows = kRows;
    } else if (m >= 4) {
      run_tile<4, kPanels>(tile);
      rows = 4;
    } else {
      run_tile<1, kPanels>(tile);
    }
    tile.a += rows * tile.a_stride;
    tile.c += rows * tile.c_stride;
    m -= rows;
  }
}

}  // namespace

void gemm_u8s8_sat16_pairs_avx512(const GemmArgs& args) {
  const std::int64_t groups = (args.k + 3) / 4;
  Tile tile{static_cast<const std::uint8_t*>(args.a),
            args.a_stride_bytes,
            static_cast<const std::uint8_t*>(args.packed_b),
            groups * kGroupBytes,
            groups,
            args.c,
            args.c_stride,
            0xFFFF};
  for (std::int64_t j = 0; j < args.n;) {
    const std::int64_t left = args.n - j;
    const std::int64_t panels_left = (left + kColumns - 1) / kColumns;
    const std::int64_t panels = panels_left < 4 ? panels_left : 4;
    const std::int64_t missing = panels * kColumns - left;
    tile.last_columns = static_cast<__mmask16>(missing > 0 ? 0xFFFF >> missing : 0xFFFF);
    switch (panels) {
      case 4:
        run_slab<6, 4>(tile, args.m);
        break;
      case 3:
        run_slab<8, 3>(tile, args.m);
        break;
      case 2:
        run_slab<12, 2>(tile, args.m);
        break;
      default:
        run_slab<12, 1>(tile, args.m);
        break;
    }
    tile.b += panels * tile.panel_bytes;
    tile.c += panels * kColumns;
    j += panels * kColumns;
  }
}

}  // namespace assay::kernels
