// SPDX-License-Identifier: Apache-2.0
// Choosing a C++ type by a tensor's element type.
#pragma once

#include <string>
#include <type_traits>

#include "engine/ir/tensor.h"

namespace assay::runtime {

template <typename... Ts>
struct Types {};

using FloatTypes = Types<float, double>;
using SignedTypes = Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using IntegerTypes = Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                           std::int64_t, std::uint64_t>;
using NumberTypes = Types<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                          std::uint32_t, std::int64_t, std::uint64_t>;
using NumberAndBoolTypes = Types<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                 std::uint32_t, std::int64_t, std::uint64_t, bool>;
using BoolTypes = Types<bool>;

template <typename... Ts>
bool is_one_of(Types<Ts...> /*types*/, DType dtype) {
  return ((dtype == DTypeOf<Ts>::value) || ...);
}

// f.template operator()<T>() with the T of `dtype`, or an error that names the operand and the types it may have.
template <typename First, typename... Rest, typename F>
auto with_type(Types<First, Rest...> /*types*/, DType dtype, const char* operand, const F& f)
    -> decltype(f.template operator()<First>()) {
  if (dtype == DTypeOf<First>::value) {
    return f.template operator()<First>();
  }
  if constexpr (sizeof...(Rest) > 0) {
    return with_type(Types<Rest...>(), dtype, operand, f);
  }
  return unsupported(std::string(operand) + " must not have the type " + std::string(dtype_name(dtype)));
}

// The same for NumberTypes, which have a name together.
template <typename F>
auto with_number_type(DType dtype, const char* operand, const F& f) -> decltype(f.template operator()<float>()) {
  if (!is_one_of(NumberTypes(), dtype)) {
    return unsupported(std::string(operand) + " must have a float32, float64 or integer type; found " +
                       std::string(dtype_name(dtype)));
  }
  return with_type(NumberTypes(), dtype, operand, f);
}

// Where integers are computed: an unsigned type of at least 32 bits, which wraps and never overflows.
template <typename T>
using Wrapping = std::conditional_t<std::is_floating_point_v<T>, T,
                                    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;

}  // namespace assay::runtime
