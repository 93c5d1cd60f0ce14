// SPDX-License-Identifier: Apache-2.0
// Sum, Mean, Min and Max of any number of operands of one type, with broadcasting, from left to right. Min and Max of a
// NaN are NaN.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/broadcast.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

// Floats get a loop of their own for every function; integers share one that calls it, which is enough for shapes.
template <typename T, typename F>
auto applied(const F& f) {
  if constexpr (std::is_floating_point_v<T>) {
    return f;
  } else {
    return +[](T a, T b) { return F{}(a, b); };
  }
}

template <typename T, typename F>
Result<Tensor> fold(const RunContext& context, const F& f) {
  Tensor left = context.input(0);
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    const Tensor& right = context.inputs[i];
    ASSAY_ASSIGN(const Broadcast broadcast, Broadcast::make(left.shape(), right.shape()));
    ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(left.dtype(), broadcast.shape()));
    broadcast_apply(broadcast, left.data<T>().data(), right.data<T>().data(), out.mutable_data<T>().data(),
                    applied<T>(f), context.threads);
    left = std::move(out);
  }
  return left;
}

template <typename List, typename F>
Result<Tensor> variadic(const RunContext& context, const F& f) {
  const DType dtype = context.input(0).dtype();
  for (const Tensor& input : context.inputs) {
    if (input.dtype() != dtype) {
      return invalid_argument("the operands must have one type; found " + std::string(dtype_name(dtype)) + " and " +
                              std::string(dtype_name(input.dtype())));
    }
  }
  return with_type(List(), dtype, "an operand", [&]<typename T>() { return fold<T>(context, f); });
}

template <typename List, typename F>
OperatorResult prepare_variadic(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, context.node.inputs.size(), context.node.inputs.size()));
  return make_elementwise_operator([f](const RunContext& run) { return variadic<List>(run, f); }, false);
}

struct Plus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

template <bool kMax>
struct Extreme {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const bool takes = kMax ? a < b : a > b;  // not where one is NaN
      const T extreme = takes ? b : a;
      return std::isnan(b) ? b : extreme;
    } else {
      return (kMax ? a >= b : a <= b) ? a : b;
    }
  }
};

}  // namespace

OperatorResult prepare_sum(const PrepareContext& context) { return prepare_variadic<NumberTypes>(context, Plus{}); }
OperatorResult prepare_min(const PrepareContext& context) {
  return prepare_variadic<NumberTypes>(context, Extreme<false>{});
}
OperatorResult prepare_max(const PrepareContext& context) {
  return prepare_variadic<NumberTypes>(context, Extreme<true>{});
}
OperatorResult prepare_mean(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, context.node.inputs.size(), context.node.inputs.size()));
  return make_operator(
      [](const RunContext& run) -> Result<Tensor> {
        ASSAY_ASSIGN(const Tensor sum, variadic<FloatTypes>(run, Plus{}));
        return with_type(FloatTypes(), sum.dtype(), "an operand", [&]<typename T>() -> Result<Tensor> {
          ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(sum.dtype(), sum.shape()));
          const auto from = sum.data<T>();
          const auto count = static_cast<T>(run.inputs.size());
          std::transform(from.begin(), from.end(), out.mutable_data<T>().begin(), [&](T x) { return x / count; });
          return out;
        });
      },
      "float32");
}

}  // namespace assay::runtime
