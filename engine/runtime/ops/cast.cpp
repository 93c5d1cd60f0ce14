// SPDX-License-Identifier: Apache-2.0
// Cast and CastLike. Floats to integers truncate towards 0; a value that the integer type lacks becomes its nearest end
// (NaN: 0). Integers to narrower integers keep the low bits. To bool: whether it is not 0. Floats to float16 and
// bfloat16 round to even; double to those by way of float32.
#include <cmath>
#include <limits>

#include "engine/runtime/half_adapter.h"
#include "engine/runtime/ops/proto_dtype.h"
#include "engine/runtime/ops/structure_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

template <typename To, typename From>
To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Both ends as powers of two are exact in From, which max() is not.
    constexpr From kAbove = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    if (std::isnan(x)) {
      return 0;
    }
    if (x >= kAbove) {
      return std::numeric_limits<To>::max();
    }
    if (x < static_cast<From>(std::numeric_limits<To>::lowest())) {
      return std::numeric_limits<To>::lowest();
    }
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

Result<Tensor> cast(const Tensor& x, DType to) {
  if (x.dtype() == to) {
    return x;
  }
  if (is_half(x.dtype())) {
    ASSAY_ASSIGN(const Tensor wide, widen_half(x));
    return cast(wide, to);
  }
  if (is_half(to)) {
    ASSAY_ASSIGN(const Tensor single, cast(x, DType::kFloat32));
    return narrow_to_half(single, to);
  }
  return with_type(NumberAndBoolTypes(), x.dtype(), "input", [&]<typename From>() -> Result<Tensor> {
    return with_type(NumberAndBoolTypes(), to, "the output", [&]<typename To>() -> Result<Tensor> {
      ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(to, x.shape()));
      const From* in = x.data<From>().data();
      To* out = y.mutable_data<To>().data();
      for (Index i = 0; i < x.size(); ++i) {
        out[i] = convert<To, From>(in[i]);
      }
      return y;
    });
  });
}

}  // namespace

OperatorResult prepare_cast(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 1, 1));
  ASSAY_ASSIGN(const DType to, dtype_attribute(context.node, "to"));
  return make_operator([to](const RunContext& run) { return cast(run.input(0), to); }, "move");
}

OperatorResult prepare_cast_like(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator([](const RunContext& run) { return cast(run.input(0), run.input(1).dtype()); }, "move");
}

}  // namespace assay::runtime
