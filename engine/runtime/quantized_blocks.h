// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear with a scale per block: along `axis`, `block` consecutive elements share one, the
// last block may be shorter. Scale and zero point have x's shape with ceil(length / block) along the axis.
#pragma once

#include "engine/ir/tensor.h"

namespace assay::runtime {

struct BlockOperands {
  const Tensor& x;           // integers of 4, 8 or 16 bits to dequantize, float32 to quantize
  const Tensor& scale;       // float32
  const Tensor& zero_point;  // of the integers' type; empty: 0
  Index axis = 1;
  Index block = 1;
};

// y = f32(x - zero point) * scale. Errors (kInvalidArgument): a scale or zero point of another shape or type.
Result<Tensor> dequantize_blocks(const BlockOperands& operands);

// y = rint(x / scale) + zero point, saturated to `y_type` (kernels/linear has the formula). Errors as above.
Result<Tensor> quantize_blocks(const BlockOperands& operands, DType y_type);

}  // namespace assay::runtime
