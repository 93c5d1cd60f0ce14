// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/ops/strided.h"

namespace assay::runtime {

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.size());
  Index stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

Strides broadcast_strides(const Shape& shape, const Shape& out) {
  Strides strides(out.size(), 0);
  const Strides own = contiguous_strides(shape);
  const std::size_t missing = out.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    strides[missing + i] = shape[i] == 1 ? 0 : own[i];
  }
  return strides;
}

}  // namespace assay::runtime
