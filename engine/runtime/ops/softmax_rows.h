// SPDX-License-Identifier: Apache-2.0
// Rows of a softmax along any axis, contiguous for the kernel.
#pragma once

#include "engine/runtime/ops/simple_operator.h"

namespace assay::runtime {

// The axis alone, or with `flattens` it and all behind it as one.
inline AxisSplit softmax_split(const Shape& shape, Index axis, bool flattens) {
  const AxisSplit split = split_at(shape, static_cast<std::size_t>(axis));
  return flattens ? AxisSplit{.outer = split.outer, .length = split.length * split.inner, .inner = 1} : split;
}

// Calls body(x, y, rows) for rows of split.length elements: in place where the axis is the innermost, else through a
// copy.
template <typename T, typename Body>
void for_softmax_rows(const AxisSplit& split, const T* x, T* y, const Body& body) {
  if (split.inner == 1 || split.length == 0) {
    body(x, y, split.outer);
    return;
  }
  BlockVector<T> rows(static_cast<std::size_t>(split.inner * split.length));
  for (Index o = 0; o < split.outer; ++o) {
    const Index first = o * split.length * split.inner;
    for (Index l = 0; l < split.length; ++l) {
      for (Index i = 0; i < split.inner; ++i) {
        rows[static_cast<std::size_t>(i * split.length + l)] = x[first + l * split.inner + i];
      }
    }
    body(rows.data(), rows.data(), split.inner);
    for (Index l = 0; l < split.length; ++l) {
      for (Index i = 0; i < split.inner; ++i) {
        y[first + l * split.inner + i] = rows[static_cast<std::size_t>(i * split.length + l)];
      }
    }
  }
}

}  // namespace assay::runtime
