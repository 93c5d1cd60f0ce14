// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_blocks.h"

#include "engine/base/shape.h"

namespace assay::runtime {
namespace {

Status check_shapes(const BlockOperands& operands, std::size_t axis) {
  Shape expected = operands.x.shape();
  expected[axis] = (expected[axis] + operands.block - 1) / operands.block;
  if (operands.scale.dtype() != DType::kFloat32 || operands.scale.shape() != expected) {
    return invalid_argument("scale is float32 " + shape_text(expected) + " for blocks of " +
                            std::to_string(operands.block) + "; found " +
                            std::string(dtype_name(operands.scale.dtype())) + " " + shape_text(operands.scale.shape()));
  }
  const Tensor& zero_point = operands.zero_point;
  if (!zero_point.empty() && (zero_point.shape() != expected || zero_point.dtype() != operands.x.dtype())) {
    return invalid_argument("zero_point has x's type and the shape of scale " + shape_text(expected) + "; found " +
                            std::string(dtype_name(zero_point.dtype())) + " " + shape_text(zero_point.shape()));
  }
  return {};
}

}  // namespace

Result<Tensor> dequantize_blocks(const BlockOperands& operands) {
  const Shape& shape = operands.x.shape();
  ASSAY_ASSIGN(const Index normalized, normalize_axis(operands.axis, shape.size(), "x"));
  const auto axis = static_cast<std::size_t>(normalized);
  ASSAY_TRY(check_shapes(operands, axis));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, shape));
  Index inner = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) {
    inner *= shape[d];
  }
  const Index blocks = operands.scale.dim(axis);
  const std::vector<Index> q = operands.x.to_indices();
  const std::vector<Index> zero_points = operands.zero_point.to_indices();
  const auto scales = operands.scale.data<float>();
  const auto to = y.mutable_data<float>();
  for (std::size_t i = 0; i < q.size(); ++i) {
    const auto position = static_cast<Index>(i);
    const Index along = position / inner % shape[axis];
    const Index outer = position / inner / shape[axis];
    const auto at = static_cast<std::size_t>((outer * blocks + along / operands.block) * inner + position % inner);
    const Index zero_point = zero_points.empty() ? 0 : zero_points[at];
    to[i] = static_cast<float>(q[i] - zero_point) * scales[at];
  }
  return y;
}

}  // namespace assay::runtime
