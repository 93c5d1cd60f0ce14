// SPDX-License-Identifier: Apache-2.0
// AMX-INT8: one instruction adds a 16 x 64 byte tile of A times a 64 x 16 tile of B to 16 x 16 int32 sums, exactly
// (wrapping), for every pair of operand types. B: quads in panels of 16 columns with k rounded up to 64, so that every
// 64 k of a panel are one tile.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kRows = 16;     // of a tile
constexpr std::int64_t kColumns = 16;  // of a tile of sums, and of a panel
constexpr std::int64_t kDepth = 64;    // bytes of k that a tile holds
constexpr std::int64_t kTileBytes = kRows * kDepth;
constexpr std::int64_t kBlockRows = 2 * kRows;
constexpr std::int64_t kPassRows = 8 * kBlockRows;  // rows that pass over two panels before the next two are read

// The compiler's intrinsics for reading tiles do not say that they read memory: this completes the writes before them.
__attribute__((always_inline)) inline void finish_writes(const void* memory) {
  asm volatile("" ::"r"(memory) : "memory");
}

enum class Types { kU8S8, kU8U8, kS8S8, kS8U8 };

// Tiles 0 to 3 are sums (row tile 0: 0 and 1, row tile 1: 2 and 3), 4 and 5 are A's, 6 and 7 are B's.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {};
};

// Tiles for `rows` rows of A and `depth` bytes of k, a multiple of 4.
void configure(std::int64_t rows, std::int64_t depth) {
  const auto upper = static_cast<std::uint8_t>(rows < kRows ? rows : kRows);
  const auto lower = static_cast<std::uint8_t>(rows > kRows ? rows - kRows : 1);
  const auto groups = static_cast<std::uint8_t>(depth / 4);
  TileConfig config;
  config.row_bytes[4] = static_cast<std::uint16_t>(depth);
  config.row_bytes[5] = static_cast<std::uint16_t>(depth);
  const std::uint8_t of_tile[8] = {upper, upper, lower, lower, upper, lower, groups, groups};
  for (int i = 0; i < 8; ++i) {
    config.rows[i] = of_tile[i];
  }
  finish_writes(&config);
  _tile_loadconfig(&config);
}

// Up to 32 rows of A against one or two panels.
struct Block {
  const std::uint8_t* a;
  std::int64_t a_stride;
  std::int64_t depths;       // whole tiles of k
  const std::uint8_t* rest;  // the rows' last bytes, kDepth apart and filled up with zeros, or null
  const std::uint8_t* b;
  std::int64_t panel_bytes;
  const std::int32_t* start;  // of the columns of both panels; null: 0
};

template <Types kTypes, bool kTwoRowTiles, bool kTwoPanels>
__attribute__((always_inline)) inline void step(const std::uint8_t* a, std::int64_t stride, const std::uint8_t* b,
                                                std::int64_t panel_bytes) {
// The tile numbers are part of the instructions, so functions cannot take them.
#define ASSAY_TILE_DOT(sums, rows, columns)      \
  if constexpr (kTypes == Types::kU8S8) {        \
    _tile_dpbusd(sums, rows, columns);           \
  } else if constexpr (kTypes == Types::kU8U8) { \
    _tile_dpbuud(sums, rows, columns);           \
  } else if constexpr (kTypes == Types::kS8S8) { \
    _tile_dpbssd(sums, rows, columns);           \
  } else {                                       \
    _tile_dpbsud(sums, rows, columns);           \
  }
  _tile_loadd(6, b, kDepth);
  _tile_loadd(4, a, stride);
  ASSAY_TILE_DOT(0, 4, 6)
  if constexpr (kTwoPanels) {
    _tile_loadd(7, b + panel_bytes, kDepth);
    ASSAY_TILE_DOT(1, 4, 7)
  }
  if constexpr (kTwoRowTiles) {
    _tile_loadd(5, a + kRows * stride, stride);
    ASSAY_TILE_DOT(2, 5, 6)
    if constexpr (kTwoPanels) {
      ASSAY_TILE_DOT(3, 5, 7)
    }
  }
#undef ASSAY_TILE_DOT
}

template <Types kTypes, bool kTwoRowTiles, bool kTwoPanels>
void multiply(const Block& block, std::int32_t* c, std::int64_t c_stride_bytes) {
  if (block.start == nullptr) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {  // the same row for every row of a tile
    _tile_loadd(0, block.start, 0);
    _tile_loadd(1, block.start + kColumns, 0);
    _tile_loadd(2, block.start, 0);
    _tile_loadd(3, block.start + kColumns, 0);
  }
  const std::uint8_t* a = block.a;
  const std::uint8_t* b = block.b;
  for (std::int64_t d = 0; d < block.depths; ++d) {
    step<kTypes, kTwoRowTiles, kTwoPanels>(a, block.a_stride, b, block.panel_bytes);
    a += kDepth;
    b += kTileBytes;
  }
  if (block.rest != nullptr) {
    step<kTypes, kTwoRowTiles, kTwoPanels>(block.rest, kDepth, b, block.panel_bytes);
  }
  auto* to = reinterpret_cast<std::uint8_t*>(c);
  _tile_stored(0, to, c_stride_bytes);
  if constexpr (kTwoPanels) {
    _tile_stored(1, to + kDepth, c_stride_bytes);
  }
  if constexpr (kTwoRowTiles) {
    std::uint8_t* lower = to + kRows * c_stride_bytes;
    _tile_stored(2, lower, c_stride_bytes);
    if constexpr (kTwoPanels) {
      _tile_stored(3, lower + kDepth, c_stride_bytes);
    }
  }
}

template <Types kTypes>
void multiply_rows(const Block& block, std::int64_t rows, std::int64_t panels, std::int32_t* c, std::int64_t c_stride) {
  constexpr std::int64_t kSumBytes = 4;
  if (rows > kRows) {
    return panels == 2 ? multiply<kTypes, true, true>(block, c, c_stride * kSumBytes)
                       : multiply<kTypes, true, false>(block, c, c_stride * kSumBytes);
  }
  return panels == 2 ? multiply<kTypes, false, true>(block, c, c_stride * kSumBytes)
                     : multiply<kTypes, false, false>(block, c, c_stride * kSumBytes);
}

// The last k % kDepth bytes of some rows, filled up with zeros.
void copy_rest(const GemmArgs& args, std::int64_t first, std::int64_t rows, std::uint8_t* rest) {
  const std::int64_t count = args.k % kDepth;
  const std::uint8_t* from = static_cast<const std::uint8_t*>(args.a) + first * args.a_stride_bytes + args.k - count;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::uint8_t* to = rest + i * kDepth;
    __builtin_memset(to, 0, kDepth);
    __builtin_memcpy(to, from + i * args.a_stride_bytes, static_cast<std::size_t>(count));
  }
  finish_writes(rest);
}

// `count` rows from `first` on. Panels in pairs; each pair stays in the cache while the rows pass over it.
template <Types kTypes>
void run_pass(const GemmArgs& args, std::int64_t first, std::int64_t count) {
  alignas(64) std::uint8_t rest[kPassRows * kDepth];
  alignas(64) std::int32_t sums[kBlockRows * 2 * kColumns];
  alignas(64) std::int32_t starts[2 * kColumns] = {};
  // Where one flat tile holds all of k, it needs no copy.
  const bool flat = args.k > 0 && args.k < kDepth && args.k % 4 == 0;
  const std::int64_t depth = flat ? args.k : kDepth;
  const bool has_rest = args.k % depth != 0;
  if (has_rest) {
    copy_rest(args, first, count, rest);
  }
  const std::int64_t panel_bytes = (args.k + kDepth - 1) / kDepth * kTileBytes;
  std::int64_t configured = 0;
  for (std::int64_t j = 0; j < args.n; j += 2 * kColumns) {
    const std::int64_t columns = args.n - j < 2 * kColumns ? args.n - j : 2 * kColumns;
    const std::int64_t panels = columns > kColumns ? 2 : 1;
    if (args.column_start != nullptr) {
      __builtin_memcpy(starts, args.column_start + j, static_cast<std::size_t>(columns) * sizeof(std::int32_t));
      finish_writes(starts);
    }
    for (std::int64_t i = 0; i < count; i += kBlockRows) {
      const std::int64_t rows = count - i < kBlockRows ? count - i : kBlockRows;
      if (rows != configured) {
        configure(rows, depth);
        configured = rows;
      }
      const Block block{static_cast<const std::uint8_t*>(args.a) + (first + i) * args.a_stride_bytes,
                        args.a_stride_bytes,
                        args.k / depth,
                        has_rest ? rest + i * kDepth : nullptr,
                        static_cast<const std::uint8_t*>(args.packed_b) + j / kColumns * panel_bytes,
                        panel_bytes,
                        args.column_start == nullptr ? nullptr : starts};
      std::int32_t* c = args.c + (first + i) * args.c_stride + j;
      if (columns % kColumns == 0) {
        multiply_rows<kTypes>(block, rows, panels, c, args.c_stride);
        continue;
      }
      multiply_rows<kTypes>(block, rows, panels, sums, 2 * kColumns);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t q = 0; q < columns; ++q) {
          c[r * args.c_stride + q] = sums[r * 2 * kColumns + q];
        }
      }
    }
  }
}

template <Types kTypes>
void run(const GemmArgs& args) {
  finish_writes(args.a);
  for (std::int64_t first = 0; first < args.m; first += kPassRows) {
    run_pass<kTypes>(args, first, args.m - first < kPassRows ? args.m - first : kPassRows);
  }
  _tile_release();  // idle tiles cost time at every switch of threads
}

}  // namespace

void gemm_u8s8_exact_amx_int8(const GemmArgs& args) { run<Types::kU8S8>(args); }
void gemm_u8u8_exact_amx_int8(const GemmArgs& args) { run<Types::kU8U8>(args); }
void gemm_s8s8_exact_amx_int8(const GemmArgs& args) { run<Types::kS8S8>(args); }
void gemm_s8u8_exact_amx_int8(const GemmArgs& args) { run<Types::kS8U8>(args); }

}  // namespace assay::kernels
