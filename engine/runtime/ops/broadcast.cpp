// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/broadcast.h"

#include <algorithm>

namespace assay::runtime {
namespace {

// The size of dimension `i` counted from the innermost, 1 where the shape has no such dimension.
Index size_from_end(const Shape& shape, std::size_t i) { return i < shape.size() ? shape[shape.size() - 1 - i] : 1; }

}  // namespace

Result<Broadcast> Broadcast::make(const Shape& a, const Shape& b) {
  Broadcast out;
  ASSAY_ASSIGN(out.shape_, broadcast_shape(a, b));
  ASSAY_ASSIGN(const Index count, element_count(out.shape_));
  out.has_elements_ = count > 0;
  if (!out.has_elements_) {
    return out;
  }
  InlineVector<Dim, 8> dims;  // innermost first, neighbours merged where both operands run on
  Index a_stride = 1;
  Index b_stride = 1;
  for (std::size_t i = 0; i < out.shape_.size(); ++i) {
    const Index size = size_from_end(out.shape_, i);
    const bool a_runs = size_from_end(a, i) == size;
    const bool b_runs = size_from_end(b, i) == size;
    const Dim dim{.size = size, .a_stride = a_runs ? a_stride : 0, .b_stride = b_runs ? b_stride : 0};
    a_stride *= a_runs ? size : 1;
    b_stride *= b_runs ? size : 1;
    if (size == 1) {
      continue;
    }
    const bool merges = !dims.empty() && dim.a_stride == dims.back().a_stride * dims.back().size &&
                        dim.b_stride == dims.back().b_stride * dims.back().size;
    if (merges) {
      dims.back().size *= size;
    } else {
      dims.push_back(dim);
    }
  }
  if (!dims.empty()) {
    out.inner_ = dims.front();
    out.outer_.assign(dims.rbegin(), dims.rend() - 1);
  }
  return out;
}

}  // namespace assay::runtime
