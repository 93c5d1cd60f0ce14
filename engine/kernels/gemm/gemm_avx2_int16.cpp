// SPDX-License-Identifier: Apache-2.0
// AVX2, exact for every operand pair: both sides widened to int16, where vpmaddwd adds two products exactly in int32.
// Rows of A are widened here, a block of rows and a stretch of k at a time; B was widened when packed: int16 pairs in
// panels of 8 columns.
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kColumns = 8;
constexpr std::int64_t kGroup = kColumns * 2;  // int16 elements per pair of k
constexpr std::int64_t kStretch = 512;         // k per widened block
constexpr std::int64_t kLanes = 16;            // int16 per vector
constexpr int kMostRows = 6;

enum class Sign { kSigned, kUnsigned };

struct Tile {
  const std::int16_t* a;  // widened rows, kStretch apart
  const std::int16_t* b;
  std::int64_t panel;  // elements
  std::int64_t groups;
  std::int32_t* c;
  std::int64_t c_stride;
  bool add;                   // to what is in C: a later stretch of k
  std::int64_t last_columns;  // valid columns of the last panel
};

__attribute__((always_inline)) inline __m256i broadcast2(const std::int16_t* a) {
  std::int32_t pair = 0;
  __builtin_memcpy(&pair, a, sizeof pair);
  return _mm256_set1_epi32(pair);
}

__attribute__((always_inline)) inline void add_dot2(__m256i& acc, __m256i a, __m256i b) {
  acc = _mm256_add_epi32(acc, _mm256_madd_epi16(a, b));
  asm("" : "+x"(acc));  // one register from step to step; GCC 12 otherwise also stores it every time
}

// The last panel's valid columns. Not inlined: it is off the hot path.
__attribute__((noinline)) void store_columns(std::int32_t* c, __m256i value, const Tile& tile) {
  alignas(32) std::uint32_t columns[kColumns];
  _mm256_store_si256(reinterpret_cast<__m256i*>(columns), value);
  for (std::int64_t j = 0; j < tile.last_columns; ++j) {
    const std::uint32_t before = tile.add ? static_cast<std::uint32_t>(c[j]) : 0;
    c[j] = static_cast<std::int32_t>(columns[j] + before);
  }
}

// The loops over registers are flat, because only flat ones are unrolled early enough to keep acc out of memory.
template <int kRows, int kPanels>
void run_tile(const Tile& tile) {
  constexpr int kTiles = kRows * kPanels;
  __m256i acc[kTiles];
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    acc[t] = _mm256_setzero_si256();
  }
  const std::int16_t* a = tile.a;
  const std::int16_t* b = tile.b;
  for (std::int64_t g = 0; g < tile.groups; ++g) {
    __m256i columns[kPanels];
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p) {
      columns[p] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + p * tile.panel));
    }
    __m256i row = _mm256_setzero_si256();
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
    std::int32_t* c = tile.c + (t / kPanels) * tile.c_stride + p * kColumns;
    if (p == kPanels - 1 && tile.last_columns < kColumns) {
      store_columns(c, acc[t], tile);
    } else {
      auto* lanes = reinterpret_cast<__m256i*>(c);
      const __m256i before = tile.add ? _mm256_loadu_si256(lanes) : _mm256_setzero_si256();
      _mm256_storeu_si256(lanes, _mm256_add_epi32(acc[t], before));
    }
  }
}

// All panels of kRows widened rows.
template <int kRows>
void run_columns(Tile tile, std::int64_t n) {
  while (n > 0) {
    const std::int64_t panels = n > kColumns ? 2 : 1;
    tile.last_columns = n < panels * kColumns ? n - (panels - 1) * kColumns : kColumns;
    if (panels == 2) {
      run_tile<kRows, 2>(tile);
    } else {
      run_tile<kRows, 1>(tile);
    }
    tile.b += panels * tile.panel;
    tile.c += panels * kColumns;
    n -= panels * kColumns;
  }
}

template <Sign kSign>
void widen(const std::uint8_t* in, std::int64_t count, std::int16_t* out) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    const __m256i words = kSign == Sign::kSigned ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + i), words);
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
  for (std::int64_t k0 = 0; k0 < args.k; k0 += kStretch) {
    const std::int64_t k = args.k - k0 < kStretch ? args.k - k0 : kStretch;
    for (std::int64_t i = 0; i < args.m;) {
      const std::int64_t left = args.m - i;
      const std::int64_t count = left >= kMostRows ? kMostRows : left >= 4 ? 4 : 1;
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
                      kColumns};
      if (count == kMostRows) {
        run_columns<kMostRows>(tile, args.n);
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

void gemm_unsigned_exact_avx2(const GemmArgs& args) { run<Sign::kUnsigned>(args); }
void gemm_signed_exact_avx2(const GemmArgs& args) { run<Sign::kSigned>(args); }

}  // namespace assay::kernels
