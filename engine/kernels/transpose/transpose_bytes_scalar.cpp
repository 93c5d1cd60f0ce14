// SPDX-License-Identifier: Apache-2.0
// Portable: tiles of 16 x 16 bytes in generic vectors. The last tile of a direction overlaps the one before; matrices
// of fewer than 16 rows or columns go byte by byte.
#include <array>
#include <cstddef>
#include <cstring>

#include "engine/base/dtype.h"
#include "engine/kernels/transpose/transpose_args.h"

namespace assay::kernels {
namespace {

constexpr Index kTile = 16;
using Bytes16 = std::uint8_t __attribute__((vector_size(16)));
using Tile = std::array<Bytes16, kTile>;

Bytes16 interleave_low(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
Bytes16 interleave_high(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// Interleaving row i with row i + 8 is a rotation of the 8-bit element address by one; four of them swap its halves.
Tile interleave(const Tile& tile) {
  Tile out;
  for (std::size_t i = 0; i < 8; ++i) {
    out[2 * i] = interleave_low(tile[i], tile[i + 8]);
    out[2 * i + 1] = interleave_high(tile[i], tile[i + 8]);
  }
  return out;
}

void transpose_tile(const std::uint8_t* from, Index from_stride, std::uint8_t* to, Index to_stride) {
  Tile tile;
  for (Index i = 0; i < kTile; ++i) {
    std::memcpy(&tile[static_cast<std::size_t>(i)], from + i * from_stride, kTile);
  }
  tile = interleave(interleave(interleave(interleave(tile))));
  for (Index j = 0; j < kTile; ++j) {
    std::memcpy(to + j * to_stride, &tile[static_cast<std::size_t>(j)], kTile);
  }
}

Index least(Index a, Index b) { return a < b ? a : b; }

// Fewer than 16 rows or columns.
void transpose_narrow(const ByteTransposeArgs& args) {
  for (Index j = 0; j < args.columns; ++j) {
    for (Index i = 0; i < args.rows; ++i) {
      args.to[j * args.to_stride + i] = args.from[i * args.from_stride + j];
    }
  }
}

}  // namespace

void transpose_bytes_scalar(const ByteTransposeArgs& args) {
  if (args.rows < kTile || args.columns < kTile) {
    transpose_narrow(args);
    return;
  }
  for (Index column = 0; column < args.columns; column += kTile) {
    const Index j = least(column, args.columns - kTile);
    for (Index row = 0; row < args.rows; row += kTile) {
      const Index i = least(row, args.rows - kTile);
      transpose_tile(args.from + i * args.from_stride + j, args.from_stride, args.to + j * args.to_stride + i,
                     args.to_stride);
    }
  }
}

}  // namespace assay::kernels
