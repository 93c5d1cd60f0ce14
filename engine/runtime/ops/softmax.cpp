// SPDX-License-Identifier: Apache-2.0
// Softmax on float32: y = exp(x - max) / sum(exp(x - max)); engine/kernels/softmax/softmax.h has the rounding.
// Along `axis` (default -1) from opset 13; before, over all dimensions from `axis` (default 1) on as one.
#include "engine/kernels/softmax/softmax.h"

#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/softmax_rows.h"

namespace assay::runtime {
namespace {

struct SoftmaxOptions {
  Index axis = -1;
  bool flattens = false;
};

Result<Tensor> softmax(const Tensor& x, const SoftmaxOptions& options, const kernels::SoftmaxKernel& kernel) {
  ASSAY_TRY(check_type(x, "input", {DType::kFloat32}));
  ASSAY_ASSIGN(const Index axis, normalize_axis(options.axis, x.rank(), "axis"));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
  if (x.size() == 0) {
    return y;
  }
  const AxisSplit split = softmax_split(x.shape(), axis, options.flattens);
  for_softmax_rows(split, x.data<float>().data(), y.mutable_data<float>().data(),
                   [&](const float* from, float* to, Index rows) {
                     kernel.softmax({.x = from, .y = to, .rows = rows, .length = split.length});
                   });
  return y;
}

}  // namespace

OperatorResult prepare_softmax(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const bool flattens = context.opset() < 13;
  const SoftmaxOptions options{.axis = context.node.int_attribute("axis", flattens ? 1 : -1), .flattens = flattens};
  const kernels::SoftmaxChoice choice = kernels::choose_softmax(context.profile, context.features);
  return make_operator(
      [options, choice](const RunContext& run) { return softmax(run.input(0), options, *choice.kernel); },
      kernel_info(choice, context.profile, "float32"));
}

}  // namespace assay::runtime
