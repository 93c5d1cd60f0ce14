// SPDX-License-Identifier: Apache-2.0
// Taking tensors apart and together along an axis.
#pragma once

#include <vector>

#include "engine/ir/tensor.h"

namespace assay::runtime {

// Tensors of one type and shape as one, along a new dimension `axis`. Of no tensors: a float32 tensor of shape [0].
Result<Tensor> stack(const std::vector<Tensor>& elements, std::size_t axis);

// The slice at `position` of dimension `axis`, without that dimension.
Result<Tensor> slice_at(const Tensor& tensor, std::size_t axis, Index position);

}  // namespace assay::runtime
