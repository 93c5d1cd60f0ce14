// SPDX-License-Identifier: Apache-2.0
// FEAT_DotProd: sdot and udot add four products of equal sign to an int32 lane, exactly (wrapping). Where the signs of
// the operands differ, the rows come flipped to B's sign (u8 - 128 or s8 + 128) and the sums start at what undoes it.
// B: quads in panels of 8 columns.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr int kColumns = 8;
constexpr std::int64_t kGroupBytes = kColumns * 4;
constexpr int kGroupsOfVector = 4;  // of a row's 16 bytes

enum class Sign { kSigned, kUnsigned };

__attribute__((always_inline)) inline uint8x16_t broadcast4(const std::uint8_t* a) {
  std::uint32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return vreinterpretq_u8_u32(vdupq_n_u32(bytes));
}

// The last bytes of the four, moved to the front.
__attribute__((always_inline)) inline uint8x16_t broadcast_rest(const std::uint8_t* a, int shift) {
  std::uint32_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  return vreinterpretq_u8_u32(vdupq_n_u32(bytes >> shift));
}

// The columns of a panel that C has: 4 and 4.
struct Sums {
  int32x4_t low;
  int32x4_t high;
};

__attribute__((always_inline)) inline Sums load(const std::int32_t* from, int columns) {
  if (columns == kColumns) {
    return {vld1q_s32(from), vld1q_s32(from + 4)};
  }
  std::int32_t all[kColumns] = {};
  for (int j = 0; j < columns; ++j) {
    all[j] = from[j];
  }
  return {vld1q_s32(all), vld1q_s32(all + 4)};
}

__attribute__((always_inline)) inline void store(const Sums& sums, std::int32_t* to, int columns) {
  if (columns == kColumns) {
    vst1q_s32(to, sums.low);
    vst1q_s32(to + 4, sums.high);
    return;
  }
  std::int32_t all[kColumns];
  vst1q_s32(all, sums.low);
  vst1q_s32(all + 4, sums.high);
  for (int j = 0; j < columns; ++j) {
    to[j] = all[j];
  }
}

// The sign is that of both operands.
template <Sign kSign, int kLane>
__attribute__((always_inline)) inline int32x4_t add_dot4(int32x4_t acc, uint8x16_t columns, uint8x16_t row) {
  if constexpr (kSign == Sign::kSigned) {
    return vdotq_laneq_s32(acc, vreinterpretq_s8_u8(columns), vreinterpretq_s8_u8(row), kLane);
  }
  return vreinterpretq_s32_u32(vdotq_laneq_u32(vreinterpretq_u32_s32(acc), columns, row, kLane));
}

// Group kGroup of the rows' vectors.
template <Sign kSign, int kRows, int kPanels, int kGroup>
__attribute__((always_inline)) inline void add_group(Sums (&acc)[kRows * kPanels], const uint8x16_t (&rows)[kRows],
                                                     const std::uint8_t* b, std::int64_t panel_bytes) {
  uint8x16_t low = vld1q_u8(b);
  uint8x16_t high = vld1q_u8(b + 16);
#pragma GCC unroll 32
  for (int t = 0; t < kRows * kPanels; ++t) {
    if (t % kRows == 0) {
      low = vld1q_u8(b + (t / kRows) * panel_bytes);
      high = vld1q_u8(b + (t / kRows) * panel_bytes + 16);
    }
    acc[t].low = add_dot4<kSign, kGroup>(acc[t].low, low, rows[t % kRows]);
    acc[t].high = add_dot4<kSign, kGroup>(acc[t].high, high, rows[t % kRows]);
  }
}

// kPanels panels from `first` on.
template <Sign kSign, int kRows, int kPanels>
void run_tile(const GemmTile& tile, int first) {
  constexpr int kTiles = kRows * kPanels;
  const int last = first + kPanels == tile.panels ? tile.last_columns : kColumns;
  Sums acc[kTiles];
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    const int column = (first + t / kRows) * kColumns;
    if (tile.add) {
      acc[t] = load(tile.c + (t % kRows) * tile.c_stride + column, t / kRows == kPanels - 1 ? last : kColumns);
    } else {
      acc[t] = tile.start == nullptr ? Sums{vdupq_n_s32(0), vdupq_n_s32(0)} : load(tile.start + column, kColumns);
    }
  }
  const auto* a = static_cast<const std::uint8_t*>(tile.a);
  const auto* b = static_cast<const std::uint8_t*>(tile.b) + first * tile.panel_bytes;
  const std::int64_t stride = tile.a_stride_bytes;
  const std::int64_t panel = tile.panel_bytes;
  std::int64_t g = 0;
  uint8x16_t rows[kRows];
  for (; g + kGroupsOfVector <= tile.groups; g += kGroupsOfVector) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[r] = vld1q_u8(a + r * stride);
    }
    add_group<kSign, kRows, kPanels, 0>(acc, rows, b, panel);
    add_group<kSign, kRows, kPanels, 1>(acc, rows, b + kGroupBytes, panel);
    add_group<kSign, kRows, kPanels, 2>(acc, rows, b + 2 * kGroupBytes, panel);
    add_group<kSign, kRows, kPanels, 3>(acc, rows, b + 3 * kGroupBytes, panel);
    a += 4 * kGroupsOfVector;
    b += kGroupsOfVector * kGroupBytes;
  }
  for (; g < tile.groups; ++g) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[r] = broadcast4(a + r * stride);
    }
    add_group<kSign, kRows, kPanels, 0>(acc, rows, b, panel);
    a += 4;
    b += kGroupBytes;
  }
  if (tile.rest_shift != 0) {
    a -= tile.rest_shift / 8;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[r] = broadcast_rest(a + r * stride, tile.rest_shift);
    }
    add_group<kSign, kRows, kPanels, 0>(acc, rows, b, panel);
  }
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    std::int32_t* to = tile.c + (t % kRows) * tile.c_stride + (first + t / kRows) * kColumns;
    store(acc[t], to, t / kRows == kPanels - 1 ? last : kColumns);
  }
}

// As many panels at a time as have room for 16 registers of sums, then one by one.
template <Sign kSign, int kRows>
void run_rows(const GemmTile& tile) {
  constexpr int kMost = kRows <= 2 ? 4 : kRows <= 4 ? 2 : 1;
  int first = 0;
  for (; first + kMost <= tile.panels; first += kMost) {
    run_tile<kSign, kRows, kMost>(tile, first);
  }
  for (; first < tile.panels; ++first) {
    run_tile<kSign, kRows, 1>(tile, first);
  }
}

template <Sign kSign>
void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_rows<kSign, 1>(tile);
    case 2:
      return run_rows<kSign, 2>(tile);
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
    default:
      return run_rows<kSign, 8>(tile);
  }
}

// The tiles below one another. (The rows of the table read no lines: there is one segment.)
template <Sign kSign>
void run_all(GemmTile tile) {
  for (std::int64_t i = 0; i < tile.tiles; ++i) {
    run<kSign>(tile);
    tile.a = static_cast<const std::uint8_t*>(tile.a) + tile.rows * tile.a_stride_bytes;
    tile.c += tile.rows * tile.c_stride;
  }
}

}  // namespace

void gemm_tile_signed_neon_dot(const GemmTile& tile) { run_all<Sign::kSigned>(tile); }
void gemm_tile_unsigned_neon_dot(const GemmTile& tile) { run_all<Sign::kUnsigned>(tile); }

}  // namespace assay::kernels
