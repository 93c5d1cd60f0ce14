// SPDX-License-Identifier: Apache-2.0
// The taps of one window along one axis.
#pragma once

#include "engine/kernels/pool/pool.h"

namespace assay::kernels {

struct PoolTaps {
  Index first;    // position of tap 0
  Index step;     // dilation
  Index count;    // taps of the kernel
  Index size;     // of the image
  Index pad_end;  // behind the image

  Index position(Index tap) const { return first + tap * step; }
  Index last() const { return position(count - 1); }
  bool inside(Index tap) const { return position(tap) >= 0 && position(tap) < size; }
  // Taps inside the image; those before the end of the padded image (none starts before its beginning).
  Index inside_count() const {
    if (first >= 0 && last() < size) {
      return count;
    }
    Index taps = 0;
    for (Index tap = 0; tap < count; ++tap) {
      taps += inside(tap) ? 1 : 0;
    }
    return taps;
  }
  Index padded_count() const {
    if (last() < size + pad_end) {
      return count;
    }
    Index taps = 0;
    for (Index tap = 0; tap < count; ++tap) {
      taps += position(tap) < size + pad_end ? 1 : 0;
    }
    return taps;
  }
};

inline PoolTaps row_taps(const PoolGeometry& g, Index oy) {
  return {oy * g.stride_h - g.pad_top, g.dilation_h, g.kernel_h, g.height, g.pad_bottom};
}
inline PoolTaps column_taps(const PoolGeometry& g, Index ox) {
  return {ox * g.stride_w - g.pad_left, g.dilation_w, g.kernel_w, g.width, g.pad_right};
}

// Calls body(row, column) for the positions inside the image, in row-major order of the taps.
template <typename Body>
void for_each_tap(const PoolTaps& rows, const PoolTaps& columns, const Body& body) {
  for (Index ky = 0; ky < rows.count; ++ky) {
    if (!rows.inside(ky)) {
      continue;
    }
    for (Index kx = 0; kx < columns.count; ++kx) {
      if (columns.inside(kx)) {
        body(rows.position(ky), columns.position(kx));
      }
    }
  }
}

}  // namespace assay::kernels
