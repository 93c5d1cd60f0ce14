// SPDX-License-Identifier: Apache-2.0
// The loops around a tile kernel: C in blocks of rows, stretches of k, slabs of panels and tiles of rows, so that the
// panels of a slab stay in the first-level cache while the tiles of a block pass over them. Portable; an ISA file has
// the tile alone.
#pragma once

#include "engine/base/dtype.h"
#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {

// What a tile kernel wants the rows of A to be.
enum class RowForm {
  kRaw,         // the bytes as they are
  kFlipped,     // each byte xor 0x80: u8 - 128 as s8, s8 + 128 as u8; the packed B has starts that undo it
  kSigned16,    // s8 widened to int16
  kUnsigned16,  // u8 widened to int16
};

struct GemmTiling {
  void (*tile)(const GemmTile&) = nullptr;
  RowForm form = RowForm::kRaw;
  Index columns = 8;      // of a panel
  Index panels = 2;       // of a slab, at most
  Index rows = 4;         // of a tile, at most
  Index narrow_rows = 4;  // of a tile of one panel, at most
  Index k_block = 512;    // k of a stretch, about
  Index group = 4;        // bytes of A per group; widened rows have groups of 2
};

// One row is computed with slabs of 8 panels and two rows with slabs of 4, to have more independent sums.
inline constexpr Index kPanelsOfOneRow = 8;
inline constexpr Index kPanelsOfTwoRows = 4;

void run_blocked(const GemmTiling& tiling, const GemmArgs& args);

}  // namespace assay::kernels
