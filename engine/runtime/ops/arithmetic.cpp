// SPDX-License-Identifier: Apache-2.0
// Add, Sub, Mul and Div with broadcasting: float32, float64 and all integers, which wrap; integer quotients are
// truncated towards zero, and a divisor of 0 is refused.
#include <algorithm>
#include <type_traits>

#include "engine/runtime/ops/binary_operator.h"
#include "engine/runtime/ops/float_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

struct Plus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Minus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};

struct Over {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      const bool negates = std::is_signed_v<T> && b == static_cast<T>(-1);  // the quotient of the minimum wraps
      return negates ? static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a)) : static_cast<T>(a / b);
    }
  }
};

struct Times {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

template <typename F>
Result<Tensor> binary(const RunContext& context, const F& f) {
  ASSAY_ASSIGN(const Broadcast broadcast, broadcast_of_one_type(context));
  return with_number_type(context.input(0).dtype(), "A",
                          [&]<typename T>() { return apply_binary<T, T>(context, broadcast, f); });
}

Result<Tensor> divide(const RunContext& context) {
  const Tensor& b = context.input(1);
  const bool is_float = b.dtype() == DType::kFloat32 || b.dtype() == DType::kFloat64;
  if (!is_float) {
    ASSAY_ASSIGN(const bool has_zero, with_number_type(b.dtype(), "B", [&]<typename T>() -> Result<bool> {
                   const auto divisors = b.data<T>();
                   return std::find(divisors.begin(), divisors.end(), T{0}) != divisors.end();
                 }));
    if (has_zero) {
      return invalid_argument("integers must not be divided by 0; found one in B");
    }
  }
  return binary(context, Over{});
}

template <typename F>
OperatorResult prepare_binary(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_elementwise_operator([f](const RunContext& run) { return binary(run, f); });
}

}  // namespace

OperatorResult prepare_add(const PrepareContext& context) { return prepare_binary(context, Plus{}); }
OperatorResult prepare_sub(const PrepareContext& context) { return prepare_binary(context, Minus{}); }
OperatorResult prepare_div(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_elementwise_operator(divide);
}
OperatorResult prepare_mul(const PrepareContext& context) { return prepare_binary(context, Times{}); }

}  // namespace assay::runtime
