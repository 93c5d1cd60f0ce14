// SPDX-License-Identifier: Apache-2.0
// AVX-VNNI (VEX encoded): vpdpbusd adds four u8 x s8 products to an int32 lane, exactly (wrapping). It takes u8 and s8
// in fixed places: kUnsigned says which of A and B is the u8. B: quads in panels of 8 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 8;
constexpr std::int64_t kGroupBytes = kColumns * 4;

enum class Unsigned { kA, kB };

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

template <Unsigned kUnsigned>
__attribute__((always_inline)) inline void add_dot4(__m256i& acc, __m256i a, __m256i b) {
  acc = kUnsigned == Unsigned::kA ? _mm256_dpbusd_avx_epi32(acc, a, b) : _mm256_dpbusd_avx_epi32(acc, b, a);
  asm("" : "+x"(acc));  // one register from step to step; GCC 12 otherwise also stores it every time
}

// The loops over registers are flat, because only flat ones are unrolled early enough to keep acc out of memory.
template <Unsigned kUnsigned, int kRows, int kPanels>
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
      add_dot4<kUnsigned>(acc[t], row, columns[t % kPanels]);
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
      add_dot4<kUnsigned>(acc[t], row, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + (t % kPanels) * panel)));
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

// The largest tile has 6 x 2 accumulators; a single row takes up to 8 panels, two rows up to 4, a single panel
// up to 12 rows.
template <Unsigned kUnsigned>
void run_single_row(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<kUnsigned, 1, 1>(tile);
    case 2:
      return run_tile<kUnsigned, 1, 2>(tile);
    case 3:
      return run_tile<kUnsigned, 1, 3>(tile);
    case 4:
      return run_tile<kUnsigned, 1, 4>(tile);
    case 5:
      return run_tile<kUnsigned, 1, 5>(tile);
    case 6:
      return run_tile<kUnsigned, 1, 6>(tile);
    case 7:
      return run_tile<kUnsigned, 1, 7>(tile);
    default:
      return run_tile<kUnsigned, 1, 8>(tile);
  }
}

template <Unsigned kUnsigned>
void run_two_rows(const GemmTile& tile) {
  switch (tile.panels) {
    case 1:
      return run_tile<kUnsigned, 2, 1>(tile);
    case 2:
      return run_tile<kUnsigned, 2, 2>(tile);
    case 3:
      return run_tile<kUnsigned, 2, 3>(tile);
    default:
      return run_tile<kUnsigned, 2, 4>(tile);
  }
}

template <Unsigned kUnsigned, int kRows>
void run_rows(const GemmTile& tile) {
  return tile.panels == 1 ? run_tile<kUnsigned, kRows, 1>(tile) : run_tile<kUnsigned, kRows, 2>(tile);
}

template <Unsigned kUnsigned>
void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_single_row<kUnsigned>(tile);
    case 2:
      return run_two_rows<kUnsigned>(tile);
    case 3:
      return run_rows<kUnsigned, 3>(tile);
    case 4:
      return run_rows<kUnsigned, 4>(tile);
    case 5:
      return run_rows<kUnsigned, 5>(tile);
    case 6:
      return run_rows<kUnsigned, 6>(tile);
    case 7:
      return run_tile<kUnsigned, 7, 1>(tile);
    case 8:
      return run_tile<kUnsigned, 8, 1>(tile);
    case 9:
      return run_tile<kUnsigned, 9, 1>(tile);
    case 10:
      return run_tile<kUnsigned, 10, 1>(tile);
    case 11:
      return run_tile<kUnsigned, 11, 1>(tile);
    default:
      return run_tile<kUnsigned, 12, 1>(tile);
  }
}

}  // namespace

void gemm_tile_unsigned_a_avx_vnni(const GemmTile& tile) { run<Unsigned::kA>(tile); }
void gemm_tile_unsigned_b_avx_vnni(const GemmTile& tile) { run<Unsigned::kB>(tile); }

}  // namespace assay::kernels
