// SPDX-License-Identifier: Apache-2.0
// LogSoftmax and Hardmax on float32 and float64, along an axis from opset 13 on, before that over all dimensions from
// the axis on. LogSoftmax: x - max - log(sum(exp(x - max))), summed in double. Hardmax: 1 at the first largest, else 0.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/layer_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

template <typename T>
void log_softmax_row(const T* x, T* y, Index length, Index step) {
  T largest = x[0];
  for (Index i = 1; i < length; ++i) {
    largest = std::max(largest, x[i * step]);
  }
  double sum = 0;
  for (Index i = 0; i < length; ++i) {
    sum += static_cast<double>(std::exp(x[i * step] - largest));
  }
  const auto log_sum = static_cast<T>(std::log(sum));
  for (Index i = 0; i < length; ++i) {
    y[i * step] = x[i * step] - largest - log_sum;
  }
}

template <typename T>
void hardmax_row(const T* x, T* y, Index length, Index step) {
  Index best = 0;
  for (Index i = 0; i < length; ++i) {
    y[i * step] = T{0};
    best = x[i * step] > x[best * step] ? i : best;
  }
  y[best * step] = T{1};
}

template <typename F>
OperatorResult prepare_rows(const PrepareContext& context, F row) {
  ASSAY_TRY(check_arity(context, 1, 1));
  const bool flattens = context.opset() < 13;
  const Index requested = context.node.int_attribute("axis", flattens ? 1 : -1);
  return make_operator(
      [=](const RunContext& run) -> Result<Tensor> {
        const Tensor& x = run.input(0);
        ASSAY_ASSIGN(const Index axis, normalize_axis(requested, x.rank(), "axis"));
        AxisSplit split = split_at(x.shape(), static_cast<std::size_t>(axis));
        if (flattens) {
          split = {.outer = split.outer, .length = split.length * split.inner, .inner = 1};
        }
        return with_type(FloatTypes(), x.dtype(), "input", [&]<typename T>() -> Result<Tensor> {
          ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(x.dtype(), x.shape()));
          for (Index i = 0; i < split.outer * split.inner && x.size() > 0; ++i) {
            const Index start = i / split.inner * split.length * split.inner + i % split.inner;
            row(x.data<T>().data() + start, y.mutable_data<T>().data() + start, split.length, split.inner);
          }
          return y;
        });
      },
      "float32");
}

}  // namespace

OperatorResult prepare_log_softmax(const PrepareContext& context) {
  return prepare_rows(context,
                      [](const auto* x, auto* y, Index length, Index step) { log_softmax_row(x, y, length, step); });
}
OperatorResult prepare_hardmax(const PrepareContext& context) {
  return prepare_rows(context,
                      [](const auto* x, auto* y, Index length, Index step) { hardmax_row(x, y, length, step); });
}

}  // namespace assay::runtime
