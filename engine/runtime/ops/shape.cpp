// SPDX-License-Identifier: Apache-2.0
// Shape and Size: int64 data about a tensor of any type.
#include <algorithm>

#include "engine/runtime/ops/structure_operators.h"

namespace assay::runtime {

// Dimensions [start, end), both clamped to the rank after negative ones count from it.
OperatorResult prepare_shape(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const Index start = context.node.int_attribute("start", 0);
  const bool has_end = context.node.has_attribute("end");
  const Index end = context.node.int_attribute("end", 0);
  return make_operator(
      [=](const RunContext& run) -> Result<Tensor> {
        const Shape& shape = run.input(0).shape();
        const auto rank = static_cast<Index>(shape.size());
        const auto clamp = [&](Index axis) { return std::clamp(axis < 0 ? axis + rank : axis, Index{0}, rank); };
        const Index first = clamp(start);
        const Index last = std::max(first, has_end ? clamp(end) : rank);
        ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(DType::kInt64, {last - first}));
        std::copy(shape.begin() + first, shape.begin() + last, out.mutable_data<Index>().begin());
        return out;
      },
      "move");
}

OperatorResult prepare_size(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_operator([](const RunContext& run) -> Result<Tensor> { return Tensor::scalar(run.input(0).size()); },
                       "move");
}

}  // namespace assay::runtime
