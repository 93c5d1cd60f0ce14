// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of two operands of one type, with broadcasting: Mod, comparisons, logic, bits, PRelu.
// Integers wrap; the rest of an integer divided by 0 is 0.
#include <cmath>

#include "engine/runtime/ops/binary_operator.h"
#include "engine/runtime/ops/elementwise_operators.h"
#include "engine/runtime/ops/types.h"

namespace assay::runtime {
namespace {

// Out is T for arithmetic and bool for comparisons.
template <bool kPredicate, typename List, typename F>
Result<Tensor> binary(const RunContext& context, const F& f) {
  ASSAY_ASSIGN(const Broadcast broadcast, broadcast_of_one_type(context));
  return with_type(List(), context.input(0).dtype(), "A", [&]<typename T>() {
    return apply_binary<T, std::conditional_t<kPredicate, bool, T>>(context, broadcast, f);
  });
}

template <typename List, typename F>
OperatorResult prepare_arithmetic(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator([f](const RunContext& run) { return binary<false, List>(run, f); }, "float32");
}

template <typename List, typename F>
OperatorResult prepare_comparison(const PrepareContext& context, F f) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_operator([f](const RunContext& run) { return binary<true, List>(run, f); }, "float32");
}

// The sign of the divisor, as Python's %.
struct FloorMod {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(a, b);
      if (rest == 0) {
        return std::copysign(rest, b);
      }
      return (rest < 0) != (b < 0) ? rest + b : rest;
    } else if constexpr (std::is_signed_v<T>) {
      if (b == 0 || b == -1) {
        return 0;
      }
      const auto rest = static_cast<T>(a % b);
      return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    } else {
      return b == 0 ? T{0} : static_cast<T>(a % b);
    }
  }
};

// The sign of the dividend, as C's fmod.
struct TruncatedMod {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else if constexpr (std::is_signed_v<T>) {
      return b == 0 || b == -1 ? T{0} : static_cast<T>(a % b);
    } else {
      return b == 0 ? T{0} : static_cast<T>(a % b);
    }
  }
};

// A shift by as many bits as the type has, or more, or by a negative number, shifts everything out: 0, or -1 for a
// negative number to the right, whose sign fills in.
template <bool kLeft>
struct Shift {
  template <typename T>
  T operator()(T a, T b) const {
    const auto count = static_cast<std::uint64_t>(b);
    if (count >= sizeof(T) * 8) {
      return !kLeft && a < T{0} ? static_cast<T>(-1) : T{0};
    }
    if constexpr (kLeft) {
      return static_cast<T>(static_cast<std::uint64_t>(a) << count);
    } else {
      return static_cast<T>(a >> count);
    }
  }
};

}  // namespace

OperatorResult prepare_mod(const PrepareContext& context) {
  return context.node.int_attribute("fmod", 0) != 0 ? prepare_arithmetic<NumberTypes>(context, TruncatedMod{})
                                                    : prepare_arithmetic<NumberTypes>(context, FloorMod{});
}
OperatorResult prepare_equal(const PrepareContext& context) {
  return prepare_comparison<NumberAndBoolTypes>(context, [](auto a, auto b) { return a == b; });
}
OperatorResult prepare_greater(const PrepareContext& context) {
  return prepare_comparison<NumberTypes>(context, [](auto a, auto b) { return a > b; });
}
OperatorResult prepare_greater_or_equal(const PrepareContext& context) {
  return prepare_comparison<NumberTypes>(context, [](auto a, auto b) { return a >= b; });
}
OperatorResult prepare_less(const PrepareContext& context) {
  return prepare_comparison<NumberTypes>(context, [](auto a, auto b) { return a < b; });
}
OperatorResult prepare_less_or_equal(const PrepareContext& context) {
  return prepare_comparison<NumberTypes>(context, [](auto a, auto b) { return a <= b; });
}
OperatorResult prepare_and(const PrepareContext& context) {
  return prepare_comparison<BoolTypes>(context, [](bool a, bool b) { return a && b; });
}
OperatorResult prepare_or(const PrepareContext& context) {
  return prepare_comparison<BoolTypes>(context, [](bool a, bool b) { return a || b; });
}
OperatorResult prepare_xor(const PrepareContext& context) {
  return prepare_comparison<BoolTypes>(context, [](bool a, bool b) { return a != b; });
}
OperatorResult prepare_bitwise_and(const PrepareContext& context) {
  return prepare_arithmetic<IntegerTypes>(context, []<typename T>(T a, T b) { return static_cast<T>(a & b); });
}
OperatorResult prepare_bitwise_or(const PrepareContext& context) {
  return prepare_arithmetic<IntegerTypes>(context, []<typename T>(T a, T b) { return static_cast<T>(a | b); });
}
OperatorResult prepare_bitwise_xor(const PrepareContext& context) {
  return prepare_arithmetic<IntegerTypes>(context, []<typename T>(T a, T b) { return static_cast<T>(a ^ b); });
}
OperatorResult prepare_bit_shift(const PrepareContext& context) {
  const std::string direction = context.node.string_attribute("direction", "");
  if (direction == "LEFT") {
    return prepare_arithmetic<IntegerTypes>(context, Shift<true>{});
  }
  if (direction == "RIGHT") {
    return prepare_arithmetic<IntegerTypes>(context, Shift<false>{});
  }
  return invalid_model("direction must be LEFT or RIGHT; found '" + direction + "'");
}
OperatorResult prepare_prelu(const PrepareContext& context) {
  ASSAY_TRY(check_arity(context, 2, 2));
  return make_elementwise_operator([](const RunContext& run) {
    return binary<false, NumberTypes>(run, []<typename T>(T x, T slope) {
      return x < T{0} ? static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(slope)) : x;
    });
  });
}

}  // namespace assay::runtime
