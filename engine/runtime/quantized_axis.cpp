// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_axis.h"

#include "engine/runtime/ops/simple_operator.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

constexpr Index kOnnxFloat = 1;  // TensorProto.FLOAT

}  // namespace

Result<AxisParams> read_axis_params(const AxisOperands& operands) {
  const Shape& shape = operands.x.shape();
  AxisParams out;
  ASSAY_TRY(expect_dtype(operands.scale, DType::kFloat32, "scale"));
  if (operands.scale.rank() == 0 || (operands.scale.rank() == 1 && operands.scale.size() == 1)) {
    out.inner = operands.x.size();
  } else if (operands.scale.rank() > 1) {
    return invalid_argument("without block_size, scale has one element or one dimension; found scale " +
                            shape_text(operands.scale.shape()) + ", x " + shape_text(shape));
  } else {
    ASSAY_ASSIGN(const Index axis, normalize_axis(operands.axis, shape.size(), "x"));
    const AxisSplit split = split_at(shape, static_cast<std::size_t>(axis));
    out.outer = split.outer;
    out.channels = split.length;
    out.inner = split.inner;
  }
  ASSAY_TRY(read_scales(operands.scale, out.channels, "scale", out.scales));
  if (!operands.zero_point.empty() && operands.zero_point.size() != operands.scale.size()) {
    return invalid_argument("zero_point has the shape of scale " + shape_text(operands.scale.shape()) + "; found " +
                            shape_text(operands.zero_point.shape()));
  }
  ASSAY_TRY(
      read_zero_points(operands.zero_point, operands.zero_point_type, out.channels, "zero_point", out.zero_points));
  return out;
}

void quantize_span(const QuantizeSpan& span, void (*quantize)(const kernels::QuantizeArgs&)) {
  const DType stored = span.y_type == DType::kInt4 ? DType::kInt8 : span.y_type;  // uint4 likewise in uint8
  quantize({.x = span.x,
            .count = span.count,
            .scale = span.scale,
            .zero_point = span.zero_point,
            .y_type = kernels::linear_type(stored),
            .y = span.y});
  if (span.y_type == DType::kInt4) {
    auto* q = reinterpret_cast<std::int8_t*>(span.y);
    std::transform(q, q + span.count, q, [](std::int8_t v) { return std::clamp<std::int8_t>(v, -8, 7); });
  } else if (span.y_type == DType::kUint4) {
    auto* q = reinterpret_cast<std::uint8_t*>(span.y);
    std::transform(q, q + span.count, q, [](std::uint8_t v) { return std::min<std::uint8_t>(v, 15); });
  }
}

Status check_precision(const Node& node) {
  const Index precision = node.int_attribute("precision", 0);
  if (precision != 0 && precision != kOnnxFloat) {
    return unsupported("the division is done in float32; found precision " + std::to_string(precision));
  }
  return {};
}

}  // namespace assay::runtime
