// SPDX-License-Identifier: Apache-2.0
// com.microsoft.QLinearSoftmax: softmax of x * x_scale (the zero point cancels) in whole steps of the output;
// engine/kernels/softmax/softmax.h has the rule. The attribute opset says what `axis` means: below 13 the dimensions
// from `axis` on are one, from 13 on it is one axis.
#include "engine/kernels/softmax/softmax.h"

#include "engine/runtime/ops/quantized_operators.h"
#include "engine/runtime/ops/softmax_rows.h"
#include "engine/runtime/quantized_params.h"

namespace assay::runtime {
namespace {

enum Input : std::size_t { kX, kXScale, kXZeroPoint, kYScale, kYZeroPoint };

constexpr Index kFirstSingleAxisOpset = 13;

struct SoftmaxOptions {
  Index axis = -1;
  bool flattens = false;
};

Result<Tensor> softmax(const RunContext& context, const SoftmaxOptions& options, const kernels::SoftmaxKernel& kernel) {
  const Tensor& x = context.input(kX);
  ASSAY_TRY(expect_8bit(x, "X"));
  ASSAY_ASSIGN(const float x_scale, read_scale(context.input(kXScale), "X_scale"));
  ASSAY_TRY(read_zero_point(context.input(kXZeroPoint), x.dtype(), "x_zero_point"));
  ASSAY_ASSIGN(const float y_scale, read_scale(context.input(kYScale), "y_scale"));
  ASSAY_ASSIGN(const std::int32_t y_zero_point, read_zero_point(context.input(kYZeroPoint), x.dtype(), "y_zero_point"));
  ASSAY_ASSIGN(const Index axis, normalize_axis(options.axis, x.rank(), "axis"));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
  if (x.size() == 0) {
    return y;
  }
  const AxisSplit split = softmax_split(x.shape(), axis, options.flattens);
  const kernels::SoftmaxTable table = kernels::qlinear_softmax_table(x_scale);
  kernels::QLinearSoftmaxArgs args;
  args.length = split.length;
  args.is_signed = x.dtype() == DType::kInt8;
  args.exponentials = table.data();
  args.steps = kernels::qlinear_softmax_steps(y_scale);
  args.y_zero_point = y_zero_point;
  for_softmax_rows(split, reinterpret_cast<const std::uint8_t*>(x.bytes()),
                   reinterpret_cast<std::uint8_t*>(y.mutable_bytes()),
                   [&](const std::uint8_t* from, std::uint8_t* to, Index rows) {
                     args.x = from;
                     args.y = to;
                     args.rows = rows;
                     kernel.qlinear(args);
                   });
  return y;
}

}  // namespace

OperatorResult prepare_qlinear_softmax(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 5));
  const Index opset = context.node.int_attribute("opset", context.graph.opset());
  const SoftmaxOptions options{.axis = context.node.int_attribute("axis", -1),
                               .flattens = opset < kFirstSingleAxisOpset};
  const kernels::SoftmaxChoice choice = kernels::choose_softmax(context.profile, context.features);
  return make_operator([options, choice](const RunContext& run) { return softmax(run, options, *choice.kernel); },
                       kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
