// SPDX-License-Identifier: Apache-2.0
// AVX-512, exact for every operand pair: both sides widened to int16, where vpmaddwd adds two products exactly in
// int32. Rows of A are widened here, a block of rows and a stretch of k at a time; B was widened when packed: int16
// pairs in panels of 16 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 16;
constexpr std::int64_t kGroup = kColumns * 2;  // int16 elements per pair of k
constexpr std::int64_t kStretch = 512;         // k per widened block
constexpr std::int64_t kLanes = 32;            // int16 per vector
constexpr int kMostRows = 12;

enum class Sign { kSigned, kUnsigned };

struct Tile {
  const std::int16_t* a;  // widened rows, kStretch apart
  const std::int16_t* b;
  std::int64_t panel;  // elements
  std::int64_t groups;
  std::int32_t* c;
  std::int64_t c_stride;
  bool add;                // to what is in C: a later stretch of k
  __mmask16 last_columns;  // valid columns of the last panel
};

__attribute__((always_inline)) inline __m512i broadcast2(const std::int16_t* a) {
  std::int32_t pair = 0;
  __builtin_memcpy(&pair, a, sizeof pair);
  return _mm512_set1_epi32(pair);
}

__attribute__((always_inline)) inline void add_dot2(__m512i& acc, __m512i a, __m512i b) {
  acc = _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
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
  const std::int16_t* a = tile.a;
  const std::int16_t* b = tile.b;
  for (std::int64_t g = 0; g < tile.groups; ++g) {
    __m512i columns[kPanels];
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) {
      columns[p] = _mm512_loadu_si512(b + p * tile.panel);
    }
    __m512i row = _mm512_setzero_si512();
#pragma GCC unroll 32
    for (int t = 0; t < kTiles; ++t) {
      if (t % kPanels == 0) {
        row = broadcast2(a + (t / kPanels) * kStretch);
      }
      add_dot2(acc[t], row, columns[t % kPanels]);
    }
    a += 2;
    b += kGroup;
  }
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int p = t % kPanels;
    const __mmask16 mask = p == kPanels - 1 ? tile.last_columns : static_cast<__mmask16>(0xFFFF);
    std::int32_t* c = tile.c + (t / kPanels) * tile.c_stride + p * kColumns;
    const __m512i before = tile.add ? _mm512_maskz_loadu_epi32(mask, c) : _mm512_setzero_si512();
    _mm512_mask_storeu_epi32(c, mask, _mm512_add_epi32(acc[t], before));
  }
}

// All panels of kRows widened rows.
template <int kRows>
void run_columns(Tile tile, std::int64_t n) {
  constexpr int kMostPanels = kRows <= 6 ? 4 : 2;
  while (n > 0) {
    const std::int64_t panels_left = (n + kColumns - 1) / kColumns;
    const std::int64_t panels = panels_left >= kMostPanels ? kMostPanels : panels_left >= 2 ? 2 : 1;
    const std::int64_t missing = panels * kColumns - n;
    tile.last_columns = static_cast<__mmask16>(missing > 0 ? 0xFFFF >> missing : 0xFFFF);
    if (panels == 1) {
      run_tile<kRows, 1>(tile);
    } else if (panels == 2) {
      run_tile<kRows, 2>(tile);
    } else {
      run_tile<kRows, kMostPanels>(tile);
    }
    tile.b += panels * tile.panel;
    tile.c += panels * kColumns;
    n -= panels * kColumns;
  }
}

template <Sign kSign>
void widen(const std::uint8_t* in, std::int64_t count, std::int16_t* out) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
    const __m512i words = kSign == Sign::kSigned ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
    _mm512_store_si512(out + i, words);
  }
}

void clear(const GemmArgs& args) {
  for (std::int64_t i = 0; i < args.m; ++i) {
    for (std::int64_t j = 0; j < args.n; ++j) {
      args.c[i * args.c_stride + j] = 0;
    }
  }
}

// The A operand's sign is kSign; B's went into the packing.
template <Sign kSign>
void run(const GemmArgs& args) {
  if (args.k == 0) {
    clear(args);
    return;
  }
  alignas(64) std::int16_t rows[kMostRows * kStretch];
  // Two panels leave room for 12 rows, four for 6.
  const std::int64_t most_rows = args.n > 2 * kColumns ? 6 : kMostRows;
  for (std::int64_t k0 = 0; k0 < args.k; k0 += kStretch) {
    const std::int64_t k = args.k - k0 < kStretch ? args.k - k0 : kStretch;
    for (std::int64_t i = 0; i < args.m;) {
      const std::int64_t left = args.m - i;
      const std::int64_t count = left >= most_rows ? most_rows : left >= 4 ? 4 : 1;
      for (std::int64_t r = 0; r < count; ++r) {
        widen<kSign>(static_cast<const std::uint8_t*>(args.a) + (i + r) * args.a_stride_bytes + k0, k,
                     rows + r * kStretch);
      }
      const Tile tile{rows,
                      static_cast<const std::int16_t*>(args.packed_b) + k0 * kColumns,
                      (args.k + 1) / 2 * kGroup,
                      (k + 1) / 2,
                      args.c + i * args.c_stride,
                      args.c_stride,
                      k0 > 0,
                      0xFFFF};
      if (count == kMostRows) {
        run_columns<kMostRows>(tile, args.n);
      } else if (count == 6) {
        run_columns<6>(tile, args.n);
      } else if (count == 4) {
        run_columns<4>(tile, args.n);
      } else {
        run_columns<1>(tile, args.n);
      }
      i += count;
    }
  }
}

}  // namespace

void gemm_unsigned_exact_avx512(const GemmArgs& args) { run<Sign::kUnsigned>(args); }
void gemm_signed_exact_avx512(const GemmArgs& args) { run<Sign::kSigned>(args); }

}  // namespace assay::kernels
