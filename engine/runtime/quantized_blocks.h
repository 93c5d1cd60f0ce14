// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear with a scale per block: along `axis`, `block` consecutive elements share one, the last block may be
// shorter. Scale and zero point have x's shape with ceil(length / block) along the axis.
#pragma once

#include "engine/ir/tensor.h"

namespace assay::runtime {

struct BlockOperands {
  const Tensor& x;           // a 4-, 8- or 16-bit type
  const Tensor& scale;       // float32
  const Tensor& zero_point;  // x's type; empty: 0
  Index axis = 1;
  Index block = 1;
};

// y = f32(x - zero point) * scale. Errors (kInvalidArgument): a scale or zero point of another shape or type.
Result<Tensor> dequantize_blocks(const BlockOperands& operands);

}  // namespace assay::runtime
