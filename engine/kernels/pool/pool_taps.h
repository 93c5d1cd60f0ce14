// SPDX-License-Identifier: Apache-2.0
// The taps of one window along one axis.
#pragma once

#include <algorithm>

#include "engine/kernels/pool/pool.h"

namespace assay::kernels {

struct PoolTaps {
  Index first;  // position of tap 0
  Index step;   // dilation
  Index count;  // taps of the kernel
  Index size;   // of the image

  Index position(Index tap) const { return first + tap * step; }
  // The taps [begin, end) lie inside the image. No loop: a kernel may be far larger than the image.
  Index begin() const { return first >= 0 ? 0 : std::min(count, (-first + step - 1) / step); }
  Index end() const { return std::max(begin(), first >= size ? 0 : std::min(count, (size - 1 - first) / step + 1)); }
};

inline PoolTaps row_taps(const PoolGeometry& g, Index oy) {
  return {oy * g.stride_h - g.pad_top, g.dilation_h, g.kernel_h, g.height};
}
inline PoolTaps column_taps(const PoolGeometry& g, Index ox) {
  return {ox * g.stride_w - g.pad_left, g.dilation_w, g.kernel_w, g.width};
}

// Taps that an average counts.
inline Index counted(const PoolTaps& taps, bool count_include_pad) {
  return count_include_pad ? taps.count : taps.end() - taps.begin();
}

// Calls body(row, column) for the positions inside the image, in row-major order of the taps.
template <typename Body>
void for_each_tap(const PoolTaps& rows, const PoolTaps& columns, const Body& body) {
  for (Index ky = rows.begin(); ky < rows.end(); ++ky) {
    for (Index kx = columns.begin(); kx < columns.end(); ++kx) {
      body(rows.position(ky), columns.position(kx));
    }
  }
}

}  // namespace assay::kernels
