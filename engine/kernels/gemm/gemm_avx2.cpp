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

// The first `count` of 8 columns. In parts, because stores under a mask take tens of micro-operations on some CPUs.
__attribute__((always_inline)) inline void store_first(std::int32_t* to, int count, __m256i columns) {
  if (count == 8) {
    return _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), columns);
  }
  __m128i rest = _mm256_castsi256_si128(columns);
  if ((count & 4) != 0) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rest);
    rest = _mm256_extracti128_si256(columns, 1);
    to += 4;
  }
  if ((count & 2) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), rest);
    rest = _mm_unpackhi_epi64(rest, rest);
    to += 2;
  }
  if ((count & 1) != 0) {
    *to = _mm_cvtsi128_si32(rest);
  }
}

// Adds the groups of one segment. The loops over registers are flat, because only flat ones are unrolled early enough
// to keep acc out of memory.
template <int kRows, int kPanels>
__attribute__((always_inline)) inline const std::uint8_t* add_segment(const GemmTile& tile, const std::uint8_t* a,
                                                                      const std::uint8_t* b,
                                                                      __m256i (&acc)[kRows * kPanels]) {
  const std::int64_t stride = tile.a_stride_bytes;
  const std::int64_t panel = tile.panel_bytes;
// Counting the loop competes with the products for ports: once for four groups.
#pragma GCC unroll 4
  for (const std::uint8_t* end = b + tile.groups * kGroupBytes; b != end; b += kGroupBytes) {
    __m256i columns[kPanels];
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      columns[p] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + p * panel));
    }
    __m256i row = _mm256_setzero_si256();
#pragma GCC unroll 32
    for (int t = 0; t < kRows * kPanels; ++t) {
      if (t % kPanels == 0) {
        row = broadcast4(a + (t / kPanels) * stride);
      }
      add_dot4(acc[t], row, columns[t % kPanels]);
    }
    a += 4;
  }
  if (tile.rest_shift != 0) {
    a -= tile.rest_shift / 8;
    __m256i row = _mm256_setzero_si256();
#pragma GCC unroll 32
    for (int t = 0; t < kRows * kPanels; ++t) {
      if (t % kPanels == 0) {
        row = broadcast_rest(a + (t / kPanels) * stride, tile.rest_shift);
      }
      add_dot4(acc[t], row, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + (t % kPanels) * panel)));
    }
  }
  return b;
}

template <int kRows, int kPanels>
void run_tile(const GemmTile& tile) {
  constexpr int kTiles = kRows * kPanels;
  const __m256i last =
      _mm256_cmpgt_epi32(_mm256_set1_epi32(tile.last_columns), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  const std::int64_t c_stride = tile.c_stride;
  const auto* rows = static_cast<const std::uint8_t*>(tile.a);
  std::int32_t* c = tile.c;
  for (std::int64_t i = 0; i < tile.tiles; ++i) {
    __m256i acc[kTiles];
    if (tile.start == nullptr) {
#pragma GCC unroll 32
      for (int t = 0; t < kTiles; ++t) {
        acc[t] = _mm256_setzero_si256();
        asm("" : "+x"(acc[t]));  // a register of its own from here on
      }
    } else {
#pragma GCC unroll 32
      for (int t = 0; t < kTiles; ++t) {
        acc[t] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tile.start + t % kPanels * kColumns));
        asm("" : "+x"(acc[t]));
      }
    }
    const auto* a = rows;
    const auto* b = static_cast<const std::uint8_t*>(tile.b);
    for (std::int64_t s = 0; s < tile.segments; ++s) {
      b = add_segment<kRows, kPanels>(tile, a, b, acc);
      a += tile.segment_stride_bytes;
    }
    if (tile.add) {
#pragma GCC unroll 32
      for (int t = 0; t < kTiles; ++t) {
        const std::int32_t* from = c + (t / kPanels) * c_stride + t % kPanels * kColumns;
        acc[t] = _mm256_add_epi32(acc[t], t % kPanels == kPanels - 1
                                              ? _mm256_maskload_epi32(from, last)
                                              : _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
      }
    }
#pragma GCC unroll 32
    for (int t = 0; t < kTiles; ++t) {
      std::int32_t* to = c + (t / kPanels) * c_stride + t % kPanels * kColumns;
      if (t % kPanels == kPanels - 1) {
        store_first(to, tile.last_columns, acc[t]);
      } else {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), acc[t]);
      }
    }
    rows += kRows * tile.a_stride_bytes;
    c += kRows * c_stride;
  }
}

using Run = void (*)(const GemmTile&);

// 6 rows of 1 panel, 4 rows of 2 panels at most; a single row takes up to 8 panels, two rows up to 4.
void run(const GemmTile& tile) {
  static constexpr Run kOneRow[] = {run_tile<1, 1>, run_tile<1, 2>, run_tile<1, 3>, run_tile<1, 4>,
                                    run_tile<1, 5>, run_tile<1, 6>, run_tile<1, 7>, run_tile<1, 8>};
  static constexpr Run kTwoRows[] = {run_tile<2, 1>, run_tile<2, 2>, run_tile<2, 3>, run_tile<2, 4>};
  // From three rows on.
  static constexpr Run kOnePanel[] = {run_tile<3, 1>, run_tile<4, 1>, run_tile<5, 1>, run_tile<6, 1>};
  static constexpr Run kTwoPanels[] = {run_tile<3, 2>, run_tile<4, 2>};
  static constexpr const Run* kMoreRows[] = {kOnePanel, kTwoPanels};
  const int panel = tile.panels - 1;
  if (tile.rows <= 2) {
    return tile.rows == 1 ? kOneRow[panel](tile) : kTwoRows[panel](tile);
  }
  return kMoreRows[panel][tile.rows - 3](tile);
}

}  // namespace

void gemm_tile_sat16_pairs_avx2(const GemmTile& tile) { run(tile); }

}  // namespace assay::kernels
