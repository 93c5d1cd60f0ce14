// SPDX-License-Identifier: Apache-2.0
// Pow with broadcasting: the result has the base's type, the exponent any number type. Integers are computed in double
// and truncated; float32 in float.
#include <algorithm>
#include <cmath>

#include "engine/runtime/ops/broadcast.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

using BaseTypes = Types<float, double, std::int32_t, std::int64_t>;

template <typename T, typename E>
T power(T base, E exponent) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<E, float>) {
    return std::pow(base, exponent);
  } else {
    return static_cast<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
}

// Exponents that multiplication or a square root gives exactly as std::pow would, or closer.
template <typename T>
bool simple_power(const T* x, T exponent, Index count, T* out) {
  if (exponent == T{2}) {
    for (Index i = 0; i < count; ++i) {
      out[i] = x[i] * x[i];
    }
    return true;
  }
  if (exponent == T{1}) {
    std::copy(x, x + count, out);
    return true;
  }
  return false;
}

Result<Tensor> pow(const RunContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  ASSAY_ASSIGN(const Broadcast broadcast, Broadcast::make(x.shape(), y.shape()));
  return with_type(BaseTypes(), x.dtype(), "X", [&]<typename T>() -> Result<Tensor> {
    return with_type(NumberTypes(), y.dtype(), "Y", [&]<typename E>() -> Result<Tensor> {
      ASSAY_ASSIGN(Tensor out, Tensor::allocate_uninitialized(x.dtype(), broadcast.shape()));
      const T* base = x.data<T>().data();
      const E* exponent = y.data<E>().data();
      T* to = out.mutable_data<T>().data();
      if constexpr (std::is_floating_point_v<T>) {
        if (y.size() == 1 && out.size() == x.size() && simple_power(base, static_cast<T>(exponent[0]), x.size(), to)) {
          return out;
        }
      }
      broadcast.for_each_row([&](const BroadcastRow& row) {
        for (Index i = 0; i < row.count; ++i) {
          to[row.out + i] = power(base[row.a + i * row.a_step], exponent[row.b + i * row.b_step]);
        }
      });
      return out;
    });
  });
}

}  // namespace

OperatorResult prepare_pow(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator(pow, "float32");
}

}  // namespace assay::runtime
