// SPDX-License-Identifier: Apache-2.0
// Softmax on float32: y = exp(x - max) / sum(exp(x - max)), the sum in double.
// Along `axis` (default -1) from opset 13; before, over all dimensions from `axis` (default 1) on as one.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

// One row of `length` elements `step` apart.
void softmax_row(const float* x, float* y, Index length, Index step) {
  float largest = x[0];
  for (Index i = 1; i < length; ++i) {
    largest = std::max(largest, x[i * step]);
  }
  double sum = 0;
  for (Index i = 0; i < length; ++i) {
    y[i * step] = std::exp(x[i * step] - largest);
    sum += static_cast<double>(y[i * step]);
  }
  for (Index i = 0; i < length; ++i) {
    y[i * step] = static_cast<float>(static_cast<double>(y[i * step]) / sum);
  }
}

Result<Tensor> softmax(const Tensor& x, Index requested_axis, bool flattens) {
  ASSAY_TRY(check_type(x, "input", {DType::kFloat32}));
  ASSAY_ASSIGN(const Index axis, normalize_axis(requested_axis, x.rank(), "axis"));
  ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
  if (x.size() == 0) {
    return y;
  }
  AxisSplit split = split_at(x.shape(), static_cast<std::size_t>(axis));
  if (flattens) {
    split = {.outer = split.outer, .length = split.length * split.inner, .inner = 1};
  }
  const float* in = x.data<float>().data();
  float* out = y.mutable_data<float>().data();
  for (Index o = 0; o < split.outer; ++o) {
    for (Index i = 0; i < split.inner; ++i) {
      const Index start = o * split.length * split.inner + i;
      softmax_row(in + start, out + start, split.length, split.inner);
    }
  }
  return y;
}

}  // namespace

OperatorResult prepare_softmax(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const bool flattens = context.opset() < 13;
  const Index axis = context.node.int_attribute("axis", flattens ? 1 : -1);
  return make_operator([axis, flattens](const RunContext& run) { return softmax(run.input(0), axis, flattens); },
                       "float32");
}

}  // namespace assay::runtime
