// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD of every AArch64, sat16-pairs as vpmaddubsw computes it: products of u8 and s8 fit into int16, sqadd
// adds two with saturation, saddw adds the pair to int32 lanes. B: pairs in panels of 8 columns, groups of two.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr int kColumns = 8;
constexpr std::int64_t kGroupBytes = kColumns * 2;
constexpr int kGroupsOfVector = 4;  // of a row's eight bytes

// A group of one panel: its first and its second k.
struct Columns {
  int16x8_t first;
  int16x8_t second;
};

__attribute__((always_inline)) inline Columns widened_columns(const std::uint8_t* b) {
  const uint8x8x2_t bytes = vld2_u8(b);
  return {vmovl_s8(vreinterpret_s8_u8(bytes.val[0])), vmovl_s8(vreinterpret_s8_u8(bytes.val[1]))};
}

__attribute__((always_inline)) inline int16x8_t widened_row(const std::uint8_t* a) {
  return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(a)));
}

// Two bytes, of which the last 1 is moved to the front where shift is 8.
__attribute__((always_inline)) inline int16x8_t broadcast2(const std::uint8_t* a, int shift) {
  std::uint16_t bytes = 0;
  __builtin_memcpy(&bytes, a, sizeof bytes);
  const auto moved = static_cast<std::uint16_t>(bytes >> shift);
  return vreinterpretq_s16_u16(vmovl_u8(vreinterpret_u8_u16(vdup_n_u16(moved))));
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

// Group kGroup of the rows' vectors.
template <int kRows, int kPanels, int kGroup>
__attribute__((always_inline)) inline void add_group(Sums (&acc)[kRows * kPanels], const int16x8_t (&rows)[kRows],
                                                     const std::uint8_t* b, std::int64_t panel_bytes) {
  Columns columns = widened_columns(b);
#pragma GCC unroll 32
  for (int t = 0; t < kRows * kPanels; ++t) {
    if (t % kRows == 0) {
      columns = widened_columns(b + (t / kRows) * panel_bytes);
    }
    const int16x8_t first = vmulq_laneq_s16(columns.first, rows[t % kRows], 2 * kGroup);
    const int16x8_t second = vmulq_laneq_s16(columns.second, rows[t % kRows], 2 * kGroup + 1);
    const int16x8_t pair = vqaddq_s16(first, second);
    acc[t].low = vaddw_s16(acc[t].low, vget_low_s16(pair));
    acc[t].high = vaddw_high_s16(acc[t].high, pair);
  }
}

// kPanels panels from `first` on.
template <int kRows, int kPanels>
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
  int16x8_t rows[kRows];
  for (; g + kGroupsOfVector <= tile.groups; g += kGroupsOfVector) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[r] = widened_row(a + r * stride);
    }
    add_group<kRows, kPanels, 0>(acc, rows, b, panel);
    add_group<kRows, kPanels, 1>(acc, rows, b + kGroupBytes, panel);
    add_group<kRows, kPanels, 2>(acc, rows, b + 2 * kGroupBytes, panel);
    add_group<kRows, kPanels, 3>(acc, rows, b + 3 * kGroupBytes, panel);
    a += 2 * kGroupsOfVector;
    b += kGroupsOfVector * kGroupBytes;
  }
  for (; g < tile.groups; ++g) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[r] = broadcast2(a + r * stride, 0);
    }
    add_group<kRows, kPanels, 0>(acc, rows, b, panel);
    a += 2;
    b += kGroupBytes;
  }
  if (tile.rest_shift != 0) {
    a -= tile.rest_shift / 8;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      rows[r] = broadcast2(a + r * stride, tile.rest_shift);
    }
    add_group<kRows, kPanels, 0>(acc, rows, b, panel);
  }
#pragma GCC unroll 32
  for (int t = 0; t < kTiles; ++t) {
    std::int32_t* to = tile.c + (t % kRows) * tile.c_stride + (first + t / kRows) * kColumns;
    store(acc[t], to, t / kRows == kPanels - 1 ? last : kColumns);
  }
}

// As many panels at a time as have room for 16 registers of sums, then one by one.
template <int kRows>
void run_rows(const GemmTile& tile) {
  constexpr int kMost = kRows <= 2 ? 4 : kRows <= 4 ? 2 : 1;
  int first = 0;
  for (; first + kMost <= tile.panels; first += kMost) {
    run_tile<kRows, kMost>(tile, first);
  }
  for (; first < tile.panels; ++first) {
    run_tile<kRows, 1>(tile, first);
  }
}

void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_rows<1>(tile);
    case 2:
      return run_rows<2>(tile);
    case 3:
      return run_rows<3>(tile);
    case 4:
      return run_rows<4>(tile);
    case 5:
      return run_rows<5>(tile);
    case 6:
      return run_rows<6>(tile);
    case 7:
      return run_rows<7>(tile);
    default:
      return run_rows<8>(tile);
  }
}

// The tiles below one another. (The rows of the table read no lines: there is one segment.)
void run_all(GemmTile tile) {
  for (std::int64_t i = 0; i < tile.tiles; ++i) {
    run(tile);
    tile.a = static_cast<const std::uint8_t*>(tile.a) + tile.rows * tile.a_stride_bytes;
    tile.c += tile.rows * tile.c_stride;
  }
}

}  // namespace

void gemm_tile_sat16_pairs_neon(const GemmTile& tile) { run_all(tile); }

}  // namespace assay::kernels
