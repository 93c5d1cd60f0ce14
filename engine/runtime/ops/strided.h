// SPDX-License-Identifier: Apache-2.0
// Walking a shape with one offset per operand, each operand having strides of its own along every dimension.
#pragma once

#include <array>

#include "engine/base/shape.h"

namespace assay::runtime {

using Strides = IndexList;  // in elements, one per dimension

// Row-major strides of a contiguous tensor.
Strides contiguous_strides(const Shape& shape);

// Strides with which a contiguous tensor of `shape` is read under the broadcast shape `out`: 0 along repeated
// dimensions.
Strides broadcast_strides(const Shape& shape, const Shape& out);

// Calls visit(offsets, count, steps) for rows along the last dimension, in row-major order: element i of operand k is
// at offsets[k] + i * steps[k]. A shape without elements has no rows.
template <std::size_t N, typename Visit>
void for_each_row(const Shape& shape, const std::array<Strides, N>& strides, const Visit& visit) {
  for (const Index size : shape) {
    if (size == 0) {
      return;
    }
  }
  std::array<Index, N> offsets{};
  std::array<Index, N> steps{};
  if (shape.empty()) {
    visit(offsets, Index{1}, steps);
    return;
  }
  const std::size_t outer = shape.size() - 1;
  for (std::size_t k = 0; k < N; ++k) {
    steps[k] = strides[k][outer];
  }
  IndexList position(outer, 0);
  while (true) {
    visit(offsets, shape[outer], steps);
    std::size_t axis = outer;
    while (axis > 0) {  // an odometer: the innermost of the outer dimensions runs fastest
      --axis;
      if (++position[axis] < shape[axis]) {
        for (std::size_t k = 0; k < N; ++k) {
          offsets[k] += strides[k][axis];
        }
        break;
      }
      position[axis] = 0;
      for (std::size_t k = 0; k < N; ++k) {
        offsets[k] -= strides[k][axis] * (shape[axis] - 1);
      }
      if (axis == 0) {
        return;
      }
    }
    if (outer == 0) {
      return;
    }
  }
}

// A shape and strides with neighbouring dimensions merged where every operand runs on, and dimensions of size 1 gone.
template <std::size_t N>
void merge_dimensions(Shape& shape, std::array<Strides, N>& strides) {
  Shape merged;
  std::array<Strides, N> kept;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      continue;
    }
    bool runs_on = !merged.empty();
    for (std::size_t k = 0; k < N && runs_on; ++k) {
      runs_on = kept[k].back() == strides[k][i] * shape[i];
    }
    if (runs_on) {
      merged.back() *= shape[i];
      for (std::size_t k = 0; k < N; ++k) {
        kept[k].back() = strides[k][i];
      }
    } else {
      merged.push_back(shape[i]);
      for (std::size_t k = 0; k < N; ++k) {
        kept[k].push_back(strides[k][i]);
      }
    }
  }
  shape = std::move(merged);
  strides = std::move(kept);
}

}  // namespace assay::runtime
