// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_blocks.h"

#include "engine/base/shape.h"
#include "engine/kernels/linear/linear.h"
#include "engine/runtime/quantized_axis.h"

namespace assay::runtime {
namespace {

Status check_shapes(const BlockOperands& operands, std::size_t axis, DType integers) {
  Shape expected = operands.x.shape();
  expected[axis] = (expected[axis] + operands.block - 1) / operands.block;
  if (operands.scale.dtype() != DType::kFloat32 || operands.scale.shape() != expected) {
    return invalid_argument("scale is float32 " + shape_text(expected) + " for blocks of " +
                            std::to_string(operands.block) + "; found " +
                            std::string(dtype_name(operands.scale.dtype())) + " " + shape_text(operands.scale.shape()));
  }
  const Tensor& zero_point = operands.zero_point;
  if (!zero_point.empty() && (zero_point.shape() != expected || zero_point.dtype() != integers)) {
    return invalid_argument("zero_point is " + std::string(dtype_name(integers)) + " of the shape of scale " +
                            shape_text(expected) + "; found " + std::string(dtype_name(zero_point.dtype())) + " " +
                            shape_text(zero_point.shape()));
  }
  return {};
}

// Where the elements' parameters are.
struct BlockLayout {
  Index length = 1;  // along the axis
  Index inner = 1;
  Index block = 1;
  Index blocks = 1;

  std::size_t params_of(std::size_t element) const {
    const auto position = static_cast<Index>(element);
    const Index along = position / inner % length;
    const Index outer = position / inner / length;
    return static_cast<std::size_t>((outer * blocks + along / block) * inner + position % inner);
  }
};

Result<BlockLayout> layout_of(const BlockOperands& operands, DType integers) {
  const Shape& shape = operands.x.shape();
  ASSAY_ASSIGN(const Index normalized, normalize_axis(operands.axis, shape.size(), "x"));
  const auto axis = static_cast<std::size_t>(normalized);
  ASSAY_TRY(check_shapes(operands, axis, integers));
  BlockLayout layout{.length = shape[axis], .block = operands.block, .blocks = operands.scale.dim(axis)};
  for (std::size_t d = axis + 1; d < shape.size(); ++d) {
    layout.inner *= shape[d];
  }
  return layout;
}

}  // namespace

Result<Tensor> dequantize_blocks(const BlockOperands& operands) {
  ASSAY_ASSIGN(const BlockLayout layout, layout_of(operands, operands.x.dtype()));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, operands.x.shape()));
  const std::vector<Index> q = operands.x.to_indices();
  const std::vector<Index> zero_points = operands.zero_point.to_indices();
  const auto scales = operands.scale.data<float>();
  const auto to = y.mutable_data<float>();
  for (std::size_t i = 0; i < q.size(); ++i) {
    const std::size_t at = layout.params_of(i);
    const Index zero_point = zero_points.empty() ? 0 : zero_points[at];
    to[i] = static_cast<float>(q[i] - zero_point) * scales[at];
  }
  return y;
}

Result<Tensor> quantize_blocks(const BlockOperands& operands, DType y_type) {
  ASSAY_ASSIGN(const BlockLayout layout, layout_of(operands, y_type));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(y_type, operands.x.shape()));
  const std::vector<Index> zero_points = operands.zero_point.to_indices();
  const auto scales = operands.scale.data<float>();
  const auto from = operands.x.data<float>();
  const std::size_t item_bytes = dtype_size_bytes(y_type);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::size_t at = layout.params_of(i);
    quantize_span({.x = from.data() + i,
                   .count = 1,
                   .scale = scales[at],
                   .zero_point = zero_points.empty() ? 0 : static_cast<std::int32_t>(zero_points[at]),
                   .y_type = y_type,
                   .y = y.mutable_bytes() + i * item_bytes},
                  kernels::quantize_linear);
  }
  return y;
}

}  // namespace assay::runtime
