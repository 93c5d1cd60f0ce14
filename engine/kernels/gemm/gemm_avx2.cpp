// SPDX-License-Identifier: Apache-2.0
// AVX2, u8 x s8: vpmaddubsw adds pairs of products in int16 with saturation, vpmaddwd with ones adds two pair sums
// exactly. B: quads in panels of 8 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 8;
constexpr std::int64_t kGroupBytes = kColumns * 4;

__attribute__((always_inline)) inline __m256i broadcast4(const std::uint8_t* a) {
  std::int32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return _mm256_set1_epi32(bytes);
}

// The last bytes of the four, moved to the front.
__attribute__((always_inline)) inline __m256i broadcast_rest(const std::uint8_t* a, int shift) {
  std::uint32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return _mm256_set1_epi32(static_cast<std::int32_t>(bytes >> shift));
}

__attribute__((always_inline)) inline void add_dot4(__m256i& acc, __m256i a, __m256i b) {
  const __m256i pairs = _mm256_maddubs_epi16(a, b);
  acc = _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  asm("" : "+x"(acc));  // one register from step to step; GCC 12 otherwise also stores it every time
}

// The loops over registers are flat, because only flat ones are unrolled early enough to keep acc out of memory.
template <int kRows, int kPanels>
void run_tile(const GemmTile& tile) {
  constexpr int kTiles = kRows * kPanels;
  const __m256i last =
      _mm256_cmpgt_epi32(_mm256_set1_epi32(tile.last_columns), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  __m256i acc[kTiles];
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int p = t % kPanels;
    const std::int32_t* start = tile.start + (t / kPanels) * tile.start_stride + p * kColumns;
    acc[t] = p == kPanels - 1 ? _mm256_maskload_epi32(start, last)
                              : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start));
    asm("" : "+x"(acc[t]));  // loaded once, into the register where it stays
  }
  const auto* a = static_cast<const std::uint8_t*>(tile.a);
  const auto* b = static_cast<const std::uint8_t*>(tile.b);
  const std::int64_t stride = tile.a_stride_bytes;
  const std::int64_t panel = tile.panel_bytes;
// Counting the loop competes with the products for ports: once for four groups.
#pragma GCC unroll 4
  for (std::int64_t g = 0; g < tile.groups; ++g) {
    __m256i columns[kPanels];
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      columns[p] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + p * panel));
    }
    __m256i row = _mm256_setzero_si256();
#pragma GCC unroll 32
    for (int t = 0; t < kTiles; ++t) {
      if (t % kPanels == 0) {
        row = broadcast4(a + (t / kPanels) * stride);
      }
      add_dot4(acc[t], row, columns[t % kPanels]);
    }
    a += 4;
    b += kGroupBytes;
  }
  if (tile.rest_shift != 0) {
    a -= tile.rest_shift / 8;
    __m256i row = _mm256_setzero_si256();
#pragma GCC unroll 32
    for (int t = 0; t < kTiles; ++t) {
      if (t % kPanels == 0) {
        row = broadcast_rest(a + (t / kPanels) * stride, tile.rest_shift);
      }
      add_dot4(acc[t], row, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + (t % kPanels) * panel)));
    }
  }
  std::int32_t* c = tile.c;
  const std::int64_t c_stride = tile.c_stride;
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int p = t % kPanels;
    std::int32_t* to = c + (t / kPanels) * c_stride + p * kColumns;
    if (p == kPanels - 1) {
      _mm256_maskstore_epi32(to, last, acc[t]);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), acc[t]);
    }
  }
}

// The largest tile has 4 x 2 accumulators; a single row takes up to 8 panels, two rows up to 4.
void run_single_row(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<1, 1>(tile);
    case 2:
      return run_tile<1, 2>(tile);
    case 3:
      return run_tile<1, 3>(tile);
    case 4:
      return run_tile<1, 4>(tile);
    case 5:
      return run_tile<1, 5>(tile);
    case 6:
      return run_tile<1, 6>(tile);
    case 7:
      return run_tile<1, 7>(tile);
    default:
      return run_tile<1, 8>(tile);
  }
}

void run_two_rows(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<2, 1>(tile);
    case 2:
      return run_tile<2, 2>(tile);
    case 3:
      return run_tile<2, 3>(tile);
    default:
      return run_tile<2, 4>(tile);
  }
}

template <int kRows>
void run_rows(const GemmTile& tile) {
  return tile.panels == 1 ? run_tile<kRows, 1>(tile) : run_tile<kRows, 2>(tile);
}

void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_single_row(tile);
    case 2:
      return run_two_rows(tile);
    case 3:
      return run_rows<3>(tile);
    default:
      return run_rows<4>(tile);
  }
}

}  // namespace

void gemm_tile_sat16_pairs_avx2(const GemmTile& tile) { run(tile); }

}  // namespace assay::kernels
