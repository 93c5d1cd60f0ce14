// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear of 4-, 8-, 16- and 32-bit integers to float32, per tensor or per axis (kernels/linear has the
// formula).
#include "engine/kernels/linear/linear.h"
#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/quantized_axis.h"
#include "engine/runtime/quantized_blocks.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kScale, kZeroPoint };

Result<Tensor> dequantize(const RunContext& context, Index axis, const kernels::LinearKernel& kernel) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(check_type(
      x, "x",
      {DType::kInt4, DType::kUint4, DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16, DType::kInt32}));
  ASSAY_ASSIGN(const AxisParams params, read_axis_params({.x = x,
                                                          .scale = context.input(kScale),
                                                          .zero_point = context.input(kZeroPoint),
                                                          .zero_point_type = x.dtype(),
                                                          .axis = axis}));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
  const std::byte* from = x.bytes();
  float* to = y.mutable_data<float>().data();
  const auto item_bytes = static_cast<Index>(dtype_size_bytes(x.dtype()));
  for_each_span(params, context.threads, [&](const AxisSpan& span) {
    kernel.dequantize({.x = from + span.first * item_bytes,
                       .x_type = kernels::linear_type(x.dtype()),
                       .count = span.count,
                       .scale = params.scales[span.channel],
                       .zero_point = params.zero_points[span.channel],
                       .y = to + span.first});
  });
  return y;
}

}  // namespace

OperatorResult prepare_dequantize_linear(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 3));
  const Index block = context.node.int_attribute("block_size", 0);
  if (const Index code = context.node.int_attribute("output_dtype", 0); code > 1) {
    return unsupported("output_dtype is float32 (1); found " + std::to_string(code));
  }
  const Index axis = context.node.int_attribute("axis", 1);
  const kernels::LinearChoice choice = kernels::choose_linear(context.profile, context.features);
  if (block > 0) {
    return make_operator(
        [axis, block](const RunContext& run) {
          return dequantize_blocks({.x = run.input(kX),
                                    .scale = run.input(kScale),
                                    .zero_point = run.input(kZeroPoint),
                                    .axis = axis,
                                    .block = block});
        },
        kernel_info(kernels::choose_linear({.isa = Isa::kScalar, .precision = context.profile.precision}, {}),
                    context.profile, "float32"));
  }
  return make_operator([axis, choice](const RunContext& run) { return dequantize(run, axis, *choice.kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
