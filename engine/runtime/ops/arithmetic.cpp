// SPDX-License-Identifier: Apache-2.0
// Add, Sub, Mul and Div with broadcasting: float32, float64 and all integers, which wrap; integer quotients are
// truncated towards zero, and a divisor of 0 is refused.
#include <algorithm>
#include <type_traits>

#include "engine/runtime/ops/broadcast.h"
#include "engine/runtime/ops/float_operators.h"

namespace assay::runtime {
namespace {

// Integers are computed in an unsigned type of at least 32 bits: unsigned arithmetic wraps and never overflows.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, T,
                                std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;

struct Plus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
  }
};
struct Minus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
  }
};

struct Over {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      const bool negates = std::is_signed_v<T> && b == static_cast<T>(-1);  // the quotient of the minimum wraps
      return negates ? static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a)) : static_cast<T>(a / b);
    }
  }
};

struct Times {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
};

template <typename T, typename F>
Result<Tensor> apply(const Broadcast& broadcast, const Tensor& a, const Tensor& b, const F& f) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(a.dtype(), broadcast.shape()));
  broadcast_apply(broadcast, a.data<T>().data(), b.data<T>().data(), out.mutable_data<T>().data(), f);
  return out;
}

template <typename F>
Result<Tensor> binary(const RunContext& context, const F& f) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  if (a.dtype() != b.dtype()) {
    return invalid_argument("A and B must have one type; found " + std::string(dtype_name(a.dtype())) + " and " +
                            std::string(dtype_name(b.dtype())));
  }
  ASSAY_ASSIGN(const Broadcast broadcast, Broadcast::make(a.shape(), b.shape()));
  switch (a.dtype()) {
    case DType::kFloat32:
      return apply<float>(broadcast, a, b, f);
    case DType::kFloat64:
      return apply<double>(broadcast, a, b, f);
    case DType::kInt8:
      return apply<std::int8_t>(broadcast, a, b, f);
    case DType::kUint8:
      return apply<std::uint8_t>(broadcast, a, b, f);
    case DType::kInt16:
      return apply<std::int16_t>(broadcast, a, b, f);
    case DType::kUint16:
      return apply<std::uint16_t>(broadcast, a, b, f);
    case DType::kInt32:
      return apply<std::int32_t>(broadcast, a, b, f);
    case DType::kUint32:
      return apply<std::uint32_t>(broadcast, a, b, f);
    case DType::kInt64:
      return apply<std::int64_t>(broadcast, a, b, f);
    case DType::kUint64:
      return apply<std::uint64_t>(broadcast, a, b, f);
    default:
      return unsupported("A must have a float32, float64 or integer type; found " + std::string(dtype_name(a.dtype())));
  }
}

Result<Tensor> divide(const RunContext& context) {
  const Tensor& b = context.input(1);
  const bool is_float = b.dtype() == DType::kFloat32 || b.dtype() == DType::kFloat64;
  if (!is_float) {
    const std::vector<Index> divisors = b.to_indices();
    if (std::find(divisors.begin(), divisors.end(), 0) != divisors.end()) {
      return invalid_argument("integers must not be divided by 0; found one in B");
    }
  }
  return binary(context, Over{});
}

template <typename F>
OperatorResult prepare_binary(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator([f](const RunContext& run) { return binary(run, f); }, "float32");
}

}  // namespace

OperatorResult prepare_add(const PrepareContext& context) { return prepare_binary(context, Plus{}); }
OperatorResult prepare_sub(const PrepareContext& context) { return prepare_binary(context, Minus{}); }
OperatorResult prepare_div(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator(divide, "float32");
}
OperatorResult prepare_mul(const PrepareContext& context) { return prepare_binary(context, Times{}); }

}  // namespace assay::runtime
