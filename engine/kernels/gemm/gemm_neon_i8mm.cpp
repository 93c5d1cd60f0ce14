// SPDX-License-Identifier: Apache-2.0
// FEAT_I8MM: smmla, ummla and usmmla multiply 2 rows of 8 bytes with 2 columns of 8 bytes and add the 2 x 2 sums to
// int32 lanes, exactly (wrapping). usmmla wants the unsigned operand first: where that is B, the 2 x 2 are transposed.
// An odd last row is computed twice. B: octets in panels of 8 columns.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {
namespace {

constexpr int kColumns = 8;
constexpr int kColumnPairs = kColumns / 2;
constexpr std::int64_t kGroup = 8;
constexpr std::int64_t kGroupBytes = kColumns * kGroup;

// Of the two operands' signs: equal, or which of them is unsigned.
enum class Signs { kSigned, kUnsigned, kUnsignedA, kUnsignedB };

// One group of two rows.
__attribute__((always_inline)) inline uint8x16_t row_pair(const std::uint8_t* first, const std::uint8_t* second) {
  return vcombine_u8(vld1_u8(first), vld1_u8(second));
}

// The last bytes of each eight, moved to the front.
__attribute__((always_inline)) inline uint8x16_t rest_pair(const std::uint8_t* first, const std::uint8_t* second,
                                                           int shift) {
  const uint64x2_t bytes = vreinterpretq_u64_u8(row_pair(first, second));
  return vreinterpretq_u8_u64(vshlq_u64(bytes, vdupq_n_s64(-shift)));
}

template <Signs kSigns>
__attribute__((always_inline)) inline int32x4_t add_product(int32x4_t acc, uint8x16_t rows, uint8x16_t columns) {
  if constexpr (kSigns == Signs::kSigned) {
    return vmmlaq_s32(acc, vreinterpretq_s8_u8(rows), vreinterpretq_s8_u8(columns));
  } else if constexpr (kSigns == Signs::kUnsigned) {
    return vreinterpretq_s32_u32(vmmlaq_u32(vreinterpretq_u32_s32(acc), rows, columns));
  } else if constexpr (kSigns == Signs::kUnsignedA) {
    return vusmmlaq_s32(acc, rows, vreinterpretq_s8_u8(columns));
  } else {
    return vusmmlaq_s32(acc, columns, vreinterpretq_s8_u8(rows));
  }
}

// 4 columns of two rows.
struct Rows {
  int32x4_t first;
  int32x4_t second;
};

// The same as 2 x 2 and 2 x 2.
struct Squares {
  int32x4_t left;
  int32x4_t right;
};

template <Signs kSigns>
__attribute__((always_inline)) inline Squares squares_of(const Rows& rows) {
  if constexpr (kSigns == Signs::kUnsignedB) {
    return {vzip1q_s32(rows.first, rows.second), vzip2q_s32(rows.first, rows.second)};
  }
  const int64x2_t first = vreinterpretq_s64_s32(rows.first);
  const int64x2_t second = vreinterpretq_s64_s32(rows.second);
  return {vreinterpretq_s32_s64(vzip1q_s64(first, second)), vreinterpretq_s32_s64(vzip2q_s64(first, second))};
}

template <Signs kSigns>
__attribute__((always_inline)) inline Rows rows_of(const Squares& squares) {
  if constexpr (kSigns == Signs::kUnsignedB) {
    return {vuzp1q_s32(squares.left, squares.right), vuzp2q_s32(squares.left, squares.right)};
  }
  const int64x2_t left = vreinterpretq_s64_s32(squares.left);
  const int64x2_t right = vreinterpretq_s64_s32(squares.right);
  return {vreinterpretq_s32_s64(vzip1q_s64(left, right)), vreinterpretq_s32_s64(vzip2q_s64(left, right))};
}

// The first `columns` of 4; none where that is 0 or less.
__attribute__((always_inline)) inline int32x4_t load4(const std::int32_t* from, int columns) {
  if (columns >= 4) {
    return vld1q_s32(from);
  }
  std::int32_t all[4] = {};
  for (int j = 0; j < columns; ++j) {
    all[j] = from[j];
  }
  return vld1q_s32(all);
}

__attribute__((always_inline)) inline void store4(int32x4_t sums, std::int32_t* to, int columns) {
  if (columns >= 4) {
    vst1q_s32(to, sums);
    return;
  }
  std::int32_t all[4];
  vst1q_s32(all, sums);
  for (int j = 0; j < columns; ++j) {
    to[j] = all[j];
  }
}

template <Signs kSigns, int kPairs, int kPanels>
__attribute__((always_inline)) inline void add_group(int32x4_t (&acc)[kPairs * kPanels * kColumnPairs],
                                                     const uint8x16_t (&rows)[kPairs], const std::uint8_t* b,
                                                     std::int64_t panel_bytes) {
  uint8x16_t columns = vld1q_u8(b);
#pragma GCC unroll 32
  for (int t = 0; t < kPairs * kPanels * kColumnPairs; ++t) {
    const int at = t / kPairs;  // of the column pairs
    if (t % kPairs == 0) {
      columns = vld1q_u8(b + (at / kColumnPairs) * panel_bytes + (at % kColumnPairs) * 16);
    }
    acc[t] = add_product<kSigns>(acc[t], rows[t % kPairs], columns);
  }
}

// kPanels panels from `first` on; kRows rows in pairs.
template <Signs kSigns, int kRows, int kPanels>
void run_tile(const GemmTile& tile, int first) {
  constexpr int kPairs = (kRows + 1) / 2;
  constexpr int kHalves = kPairs * kPanels * 2;  // 4 columns of a pair of rows
  const int last = first + kPanels == tile.panels ? tile.last_columns : kColumns;
  int32x4_t acc[kHalves * 2];
#pragma GCC unroll 32
  for (int h = 0; h < kHalves; ++h) {
    const int row = 2 * (h % kPairs);
    const int second = row + 1 < kRows ? row + 1 : row;
    const int half = h / kPairs;
    const int columns = half / 2 == kPanels - 1 ? last - half % 2 * 4 : 4;
    const int column = first * kColumns + half * 4;
    Rows sums = {vdupq_n_s32(0), vdupq_n_s32(0)};
    if (tile.add) {
      sums.first = load4(tile.c + row * tile.c_stride + column, columns);
      sums.second = load4(tile.c + second * tile.c_stride + column, columns);
    } else if (tile.start != nullptr) {
      sums.first = sums.second = vld1q_s32(tile.start + column);
    }
    const Squares squares = squares_of<kSigns>(sums);
    acc[half * 2 * kPairs + h % kPairs] = squares.left;
    acc[(half * 2 + 1) * kPairs + h % kPairs] = squares.right;
  }
  const auto* a = static_cast<const std::uint8_t*>(tile.a);
  const auto* b = static_cast<const std::uint8_t*>(tile.b) + first * tile.panel_bytes;
  const std::int64_t stride = tile.a_stride_bytes;
  uint8x16_t rows[kPairs];
  for (std::int64_t g = 0; g < tile.groups; ++g) {
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p) {
      rows[p] = row_pair(a + 2 * p * stride, a + (2 * p + 1 < kRows ? 2 * p + 1 : 2 * p) * stride);
    }
    add_group<kSigns, kPairs, kPanels>(acc, rows, b, tile.panel_bytes);
    a += kGroup;
    b += kGroupBytes;
  }
  if (tile.rest_shift != 0) {
    a -= tile.rest_shift / 8;
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p) {
      rows[p] = rest_pair(a + 2 * p * stride, a + (2 * p + 1 < kRows ? 2 * p + 1 : 2 * p) * stride, tile.rest_shift);
    }
    add_group<kSigns, kPairs, kPanels>(acc, rows, b, tile.panel_bytes);
  }
#pragma GCC unroll 32
  for (int h = 0; h < kHalves; ++h) {
    const int row = 2 * (h % kPairs);
    const int half = h / kPairs;
    const int columns = half / 2 == kPanels - 1 ? last - half % 2 * 4 : 4;
    std::int32_t* to = tile.c + row * tile.c_stride + first * kColumns + half * 4;
    const Rows sums = rows_of<kSigns>({acc[half * 2 * kPairs + h % kPairs], acc[(half * 2 + 1) * kPairs + h % kPairs]});
    store4(sums.first, to, columns);
    if (row + 1 < kRows) {
      store4(sums.second, to + tile.c_stride, columns);
    }
  }
}

// As many panels at a time as have room for 16 registers of sums, then one by one.
template <Signs kSigns, int kRows>
void run_rows(const GemmTile& tile) {
  constexpr int kMost = kRows <= 2 ? 4 : kRows <= 4 ? 2 : 1;
  int first = 0;
  for (; first + kMost <= tile.panels; first += kMost) {
    run_tile<kSigns, kRows, kMost>(tile, first);
  }
  for (; first < tile.panels; ++first) {
    run_tile<kSigns, kRows, 1>(tile, first);
  }
}

template <Signs kSigns>
void run(const GemmTile& tile) {
  switch (tile.rows) {
    case 1:
      return run_rows<kSigns, 1>(tile);
    case 2:
      return run_rows<kSigns, 2>(tile);
    case 3:
      return run_rows<kSigns, 3>(tile);
    case 4:
      return run_rows<kSigns, 4>(tile);
    case 5:
      return run_rows<kSigns, 5>(tile);
    case 6:
      return run_rows<kSigns, 6>(tile);
    case 7:
      return run_rows<kSigns, 7>(tile);
    default:
      return run_rows<kSigns, 8>(tile);
  }
}

// The tiles below one another. (The rows of the table read no lines: there is one segment.)
template <Signs kSigns>
void run_all(GemmTile tile) {
  for (std::int64_t i = 0; i < tile.tiles; ++i) {
    run<kSigns>(tile);
    tile.a = static_cast<const std::uint8_t*>(tile.a) + tile.rows * tile.a_stride_bytes;
    tile.c += tile.rows * tile.c_stride;
  }
}

}  // namespace

void gemm_tile_signed_neon_i8mm(const GemmTile& tile) { run_all<Signs::kSigned>(tile); }
void gemm_tile_unsigned_neon_i8mm(const GemmTile& tile) { run_all<Signs::kUnsigned>(tile); }
void gemm_tile_unsigned_a_neon_i8mm(const GemmTile& tile) { run_all<Signs::kUnsignedA>(tile); }
void gemm_tile_unsigned_b_neon_i8mm(const GemmTile& tile) { run_all<Signs::kUnsignedB>(tile); }

}  // namespace assay::kernels
