// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 through float32: half inputs are widened exactly, the operator computes in float32, and its
// float32 outputs are rounded (ties to even) to the type of the first half input. Tensors of other types pass
// unchanged.
#pragma once

#include "engine/runtime/operator.h"

namespace assay::runtime {

Result<std::unique_ptr<Operator>> prepare_through_float(const OperatorRow& row, const PrepareContext& context);

inline bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }

// A half tensor as float32.
Result<Tensor> widen_half(const Tensor& tensor);
// A float32 tensor as `half`.
Result<Tensor> narrow_to_half(const Tensor& tensor, DType half);

}  // namespace assay::runtime
