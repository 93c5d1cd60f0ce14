// SPDX-License-Identifier: Apache-2.0
// Element-wise operations of two operands under ONNX multidirectional broadcasting (numpy's rules), as contiguous rows.
#pragma once

#include "engine/base/shape.h"
#include "engine/runtime/ops/element_loop.h"

namespace assay::runtime {

// `count` outputs from `out` on; the operands advance by a_step and b_step, each 0 or 1. Offsets in elements.
struct BroadcastRow {
  Index a = 0;
  Index b = 0;
  Index out = 0;
  Index count = 0;
  Index a_step = 1;
  Index b_step = 1;
};

class Broadcast {
 public:
  // An error names both shapes.
  static Result<Broadcast> make(const Shape& a, const Shape& b);

  const Shape& shape() const { return shape_; }

  // Calls visit(const BroadcastRow&) for rows that cover the output in order; equal shapes make one row.
  template <typename Visit>
  void for_each_row(const Visit& visit) const;

 private:
  struct Dim {
    Index size = 1;
    Index a_stride = 0;
    Index b_stride = 0;
  };
  Shape shape_;
  InlineVector<Dim, 8> outer_;  // outermost first
  Dim inner_;
  bool has_elements_ = true;
};

template <typename Visit>
void Broadcast::for_each_row(const Visit& visit) const {
  if (!has_elements_) {
    return;
  }
  BroadcastRow row{.count = inner_.size, .a_step = inner_.a_stride, .b_step = inner_.b_stride};
  IndexList position(outer_.size(), 0);
  while (true) {
    visit(row);
    row.out += row.count;
    std::size_t axis = outer_.size();
    while (axis > 0) {  // an odometer: the innermost of the outer dimensions runs fastest
      --axis;
      const Dim& dim = outer_[axis];
      row.a += dim.a_stride;
      row.b += dim.b_stride;
      if (++position[axis] < dim.size) {
        break;
      }
      row.a -= dim.a_stride * dim.size;
      row.b -= dim.b_stride * dim.size;
      position[axis] = 0;
      if (axis == 0) {
        return;
      }
    }
    if (outer_.empty()) {
      return;
    }
  }
}

// z[i] = f(x[i], y[i]) with the steps of the row; the common ones are loops that vectorise. z may be x or y.
template <typename In, typename Out, typename F>
void apply_to_row(const BroadcastRow& row, const In* x, const In* y, Out* z, const F& f) {
  if (row.a_step == 1 && row.b_step == 1) {
#pragma GCC ivdep
    for (Index i = 0; i < row.count; ++i) {
      z[i] = f(x[i], y[i]);
    }
  } else if (row.a_step == 1) {
    const In right = *y;
#pragma GCC ivdep
    for (Index i = 0; i < row.count; ++i) {
      z[i] = f(x[i], right);
    }
  } else if (row.b_step == 1) {
    const In left = *x;
#pragma GCC ivdep
    for (Index i = 0; i < row.count; ++i) {
      z[i] = f(left, y[i]);
    }
  } else {
    const In left = *x;
    const In right = *y;
    for (Index i = 0; i < row.count; ++i) {
      z[i] = f(left, right);
    }
  }
}

// out = f(a, b) for every element. `out` may be an operand that has the result's shape.
template <typename In, typename Out, typename F>
void broadcast_apply(const Broadcast& broadcast, const In* a, const In* b, Out* out, const F& f, int threads = 1) {
  broadcast.for_each_row([&](const BroadcastRow& row) {
    for_each_piece(row.count, threads, [&](Index first, Index last) {
      BroadcastRow piece = row;
      piece.count = last - first;
      apply_to_row(piece, a + row.a + first * row.a_step, b + row.b + first * row.b_step, out + row.out + first, f);
    });
  });
}

}  // namespace assay::runtime
