// SPDX-License-Identifier: Apache-2.0
// Constant weights packed once for all sessions of the process. What is packed is found again by its bytes and the
// layout; it lives as long as somebody holds it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/ir/tensor.h"
#include "engine/runtime/quantized_product.h"

namespace assay::runtime {

enum class WeightOrder { kConvolution, kMatrix, kTransposedMatrix };

// How a tensor becomes right operands of matrix products: all that the packed bytes depend on beside it.
struct WeightLayout {
  const kernels::GemmKernel* kernel = nullptr;
  WeightOrder order = WeightOrder::kMatrix;
  Index groups = 1;
  bool operator==(const WeightLayout&) const = default;
};

using PackedMatrices = std::vector<PackedMatrix>;

// `source` in that layout: as another session packed it, or packed by `pack`. Thread-safe. Errors: those of `pack`.
Result<std::shared_ptr<const PackedMatrices>> shared_weights(const Tensor& source, const WeightLayout& layout,
                                                             const std::function<Result<PackedMatrices>()>& pack);

// How many packed tensors somebody holds.
std::size_t shared_weight_count();

}  // namespace assay::runtime
