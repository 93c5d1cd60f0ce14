// SPDX-License-Identifier: Apache-2.0
// The loops around a tile kernel: C in blocks of rows, stretches of k, slabs of panels and tiles of rows, so that the
// panels of a slab stay in the nearest caches while the tiles of a block pass over them. Portable; an ISA file has
// the tile alone.
#pragma once

#include "engine/base/dtype.h"
#include "engine/kernels/gemm/gemm_args.h"

namespace assay::kernels {

struct GemmTiling {
  void (*tile)(const GemmTile&) = nullptr;
  // What a tile wants the rows of A to be; null: the bytes as they are.
  void (*form)(const GemmFormArgs&) = nullptr;
  Index element = 1;        // bytes of an element of a formed row
  Index group = 4;          // bytes of a group in rows as the tile reads them
  bool has_starts = false;  // the packed B ends in what every column's sums start at
  Index columns = 8;        // of a panel
  Index panels = 2;         // of a slab, at most
  Index rows[5] = {};       // of a tile of that many panels, at most
  Index k_block = 512;      // k of a stretch, about
};

// One row is computed with slabs of 8 panels and two rows with slabs of 4, to have more independent sums.
inline constexpr Index kPanelsOfOneRow = 8;
inline constexpr Index kPanelsOfTwoRows = 4;

void run_blocked(const GemmTiling& tiling, const GemmArgs& args);

}  // namespace assay::kernels
