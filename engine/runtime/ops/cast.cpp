// SPDX-License-Identifier: Apache-2.0
// Cast and CastLike. Floats to integers truncate towards 0; a value that the integer type lacks becomes its nearest end
// (NaN: 0). Integers to narrower integers keep the low bits. To bool: whether it is not 0. Floats to float16 and
// bfloat16 round to even, once, and so do doubles and integers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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

// x as float32 for a further rounding to half that gives what a single one would: where float32 lacks x, the nearer to
// 0 of its neighbours with the last bit set ("round to odd"), so that x never lands in the middle of two halves.
template <typename From>
float to_odd(From x) {
  if constexpr (std::is_integral_v<From>) {
    constexpr int kMantissaBits = std::numeric_limits<float>::digits;
    const bool negative = x < From{0};
    std::uint64_t size = static_cast<std::uint64_t>(x);
    size = negative ? 0 - size : size;
    const int lost = std::max(0, static_cast<int>(std::bit_width(size)) - kMantissaBits);
    const std::uint64_t kept = size >> lost << lost;
    const std::uint64_t odd = kept == size ? kept : kept | std::uint64_t{1} << lost;
    return negative ? -static_cast<float>(odd) : static_cast<float>(odd);
  } else {
    const auto y = static_cast<float>(x);
    if (std::isnan(x) || static_cast<From>(y) == x) {
      return y;
    }
    const float truncated = std::abs(static_cast<From>(y)) > std::abs(x) ? std::nextafter(y, 0.0F) : y;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(truncated) | 1U);
  }
}

Result<Tensor> single_for_half(const Tensor& x) {
  if (x.dtype() == DType::kFloat32) {
    return x;
  }
  return with_type(NumberAndBoolTypes(), x.dtype(), "input", [&]<typename From>() -> Result<Tensor> {
    ASSAY_ASSIGN(Tensor y, Tensor::allocate_uninitialized(DType::kFloat32, x.shape()));
    const From* in = x.data<From>().data();
    std::transform(in, in + x.size(), y.mutable_data<float>().data(), to_odd<From>);
    return y;
  });
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
    ASSAY_ASSIGN(const Tensor single, single_for_half(x));
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
