// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of one operand, in the operand's own type. Integers wrap where a result does not fit.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/runtime/ops/element_loop.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

// y = f(x) with y of x's type, one of `List`.
template <typename List, typename F>
OperatorResult prepare_map(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_elementwise_operator([f](const RunContext& run) {
    const Tensor& x = run.input(0);
    return with_type(List(), x.dtype(), "X", [&]<typename T>() { return map_elements<T, T>(run, f); });
  });
}

// A bool for each element.
template <typename List, typename F>
OperatorResult prepare_predicate(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 1, 1));
  return make_operator(
      [f](const RunContext& run) {
        const Tensor& x = run.input(0);
        return with_type(List(), x.dtype(), "X", [&]<typename T>() { return map_elements<bool, T>(run, f); });
      },
      "float32");
}

template <typename T>
T softplus(T x) {  // log(1 + exp(x)) without overflow
  return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
}

template <typename T>
T logistic(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

struct Absolute {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(x);
    } else if constexpr (std::is_signed_v<T>) {
      return x < 0 ? static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x)) : x;
    } else {
      return x;
    }
  }
};

struct Negative {
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    }
  }
};

}  // namespace

OperatorResult prepare_abs(const PrepareContext& context) { return prepare_map<NumberTypes>(context, Absolute{}); }
OperatorResult prepare_neg(const PrepareContext& context) { return prepare_map<SignedTypes>(context, Negative{}); }
OperatorResult prepare_sign(const PrepareContext& context) {
  return prepare_map<NumberTypes>(context, []<typename T>(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isnan(x) ? x : static_cast<T>((x > 0) - (x < 0));
    } else {
      return static_cast<T>(static_cast<int>(x > 0) - static_cast<int>(x < 0));
    }
  });
}
OperatorResult prepare_not(const PrepareContext& context) {
  return prepare_predicate<BoolTypes>(context, [](bool x) { return !x; });
}
OperatorResult prepare_bitwise_not(const PrepareContext& context) {
  return prepare_map<IntegerTypes>(context, []<typename T>(T x) { return static_cast<T>(~x); });
}
OperatorResult prepare_is_nan(const PrepareContext& context) {
  return prepare_predicate<FloatTypes>(context, [](auto x) { return std::isnan(x); });
}
OperatorResult prepare_is_inf(const PrepareContext& context) {
  const bool negative = context.node.int_attribute("detect_negative", 1) != 0;
  const bool positive = context.node.int_attribute("detect_positive", 1) != 0;
  return prepare_predicate<FloatTypes>(
      context, [=](auto x) { return std::isinf(x) && (std::signbit(x) ? negative : positive); });
}

OperatorResult prepare_exp(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::exp(x); });
}
OperatorResult prepare_log(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::log(x); });
}
OperatorResult prepare_sqrt(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::sqrt(x); });
}
OperatorResult prepare_reciprocal(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, []<typename T>(T x) { return T{1} / x; });
}
OperatorResult prepare_floor(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::floor(x); });
}
OperatorResult prepare_ceil(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::ceil(x); });
}
OperatorResult prepare_round(const PrepareContext& context) {  // halves to even
  return prepare_map<FloatTypes>(context, [](auto x) { return std::nearbyint(x); });
}
OperatorResult prepare_sin(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::sin(x); });
}
OperatorResult prepare_cos(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::cos(x); });
}
OperatorResult prepare_tan(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::tan(x); });
}
OperatorResult prepare_asin(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::asin(x); });
}
OperatorResult prepare_acos(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::acos(x); });
}
OperatorResult prepare_atan(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::atan(x); });
}
OperatorResult prepare_sinh(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::sinh(x); });
}
OperatorResult prepare_cosh(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::cosh(x); });
}
OperatorResult prepare_asinh(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::asinh(x); });
}
OperatorResult prepare_acosh(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::acosh(x); });
}
OperatorResult prepare_atanh(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return std::atanh(x); });
}
OperatorResult prepare_softplus(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return softplus(x); });
}
OperatorResult prepare_softsign(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, []<typename T>(T x) { return x / (T{1} + std::abs(x)); });
}
OperatorResult prepare_mish(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, [](auto x) { return x * std::tanh(softplus(x)); });
}
OperatorResult prepare_swish(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 1.0F);
  return prepare_map<FloatTypes>(context, [alpha]<typename T>(T x) { return x * logistic(static_cast<T>(alpha) * x); });
}
OperatorResult prepare_selu(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 1.67326319217681884765625F);
  const float gamma = context.node.float_attribute("gamma", 1.05070102214813232421875F);
  return prepare_map<FloatTypes>(context, [alpha, gamma]<typename T>(T x) {
    return static_cast<T>(gamma) * (x > 0 ? x : static_cast<T>(alpha) * std::expm1(x));
  });
}
OperatorResult prepare_elu(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 1.0F);
  return prepare_map<FloatTypes>(
      context, [alpha]<typename T>(T x) { return x > 0 ? x : static_cast<T>(alpha) * std::expm1(x); });
}
OperatorResult prepare_celu(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 1.0F);
  return prepare_map<FloatTypes>(context, [alpha]<typename T>(T x) {
    const T a = static_cast<T>(alpha);
    return x > 0 ? x : a * std::expm1(x / a);
  });
}
OperatorResult prepare_hard_sigmoid(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 0.2F);
  const float beta = context.node.float_attribute("beta", 0.5F);
  return prepare_map<FloatTypes>(context, [alpha, beta]<typename T>(T x) {
    const T line = static_cast<T>(alpha) * x + static_cast<T>(beta);
    const T low = line < T{0} ? T{0} : line;
    return low > T{1} ? T{1} : low;
  });
}
OperatorResult prepare_thresholded_relu(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 1.0F);
  return prepare_map<FloatTypes>(context, [alpha]<typename T>(T x) { return x > static_cast<T>(alpha) ? x : T{0}; });
}
OperatorResult prepare_shrink(const PrepareContext& context) {
  const float bias = context.node.float_attribute("bias", 0.0F);
  const float lambda = context.node.float_attribute("lambd", 0.5F);
  return prepare_map<NumberTypes>(context, [bias, lambda]<typename T>(T x) {
    const auto value = static_cast<double>(x);
    const auto limit = static_cast<double>(lambda);
    const auto shift = static_cast<double>(bias);
    return static_cast<T>(value < -limit ? value + shift : value > limit ? value - shift : 0.0);
  });
}

OperatorResult prepare_tanh_gelu(const PrepareContext& context) {
  return prepare_map<FloatTypes>(context, []<typename T>(T x) {
    const T inner =
        static_cast<T>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) * (x + static_cast<T>(0.044715) * x * x * x);
    return T{0.5} * x * (T{1} + std::tanh(inner));
  });
}
OperatorResult prepare_quick_gelu(const PrepareContext& context) {
  const float alpha = context.node.float_attribute("alpha", 1.702F);
  return prepare_map<FloatTypes>(context, [alpha]<typename T>(T x) { return x * logistic(static_cast<T>(alpha) * x); });
}

}  // namespace assay::runtime
