// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/element_value.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace assay::spec {
namespace {

std::string number_text(const Number& number) {
  return std::visit([](const auto value) { return fmt::format("{}", value); }, number);
}

double as_double(const Number& number) {
  return std::visit([](const auto value) { return static_cast<double>(value); }, number);
}

template <typename T>
void put(Tensor& tensor, Index position, T value) {
  std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(position) * sizeof(T), &value, sizeof(T));
}

// The number as T if it is whole and within T's range.
template <typename T>
bool to_integer(const Number& number, T& result) {
  if (const auto* value = std::get_if<double>(&number)) {
    // 2^digits is exact, so that the comparison is too.
    const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double least = std::is_signed_v<T> ? -limit : 0.0;
    if (!(*value >= least && *value < limit) || *value != std::floor(*value)) {
      return false;
    }
    result = static_cast<T>(*value);
    return true;
  }
  if (const auto* value = std::get_if<std::int64_t>(&number)) {
    result = static_cast<T>(*value);
    return std::in_range<T>(*value);
  }
  const std::uint64_t value = std::get<std::uint64_t>(number);
  result = static_cast<T>(value);
  return std::in_range<T>(value);
}

template <typename T>
std::string store_integer(Tensor& tensor, Index position, const Number& number) {
  T value{};
  if (!to_integer<T>(number, value)) {
    return fmt::format("{} does not fit {} (whole numbers in [{},{}])", number_text(number), dtype_name(tensor.dtype()),
                       std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
  put(tensor, position, value);
  return {};
}

std::string store_bool(Tensor& tensor, Index position, const Number& number) {
  const double value = as_double(number);
  if (value != 0.0 && value != 1.0) {
    return fmt::format("{} does not fit bool (true, false, 0 or 1)", number_text(number));
  }
  put<std::uint8_t>(tensor, position, value != 0.0 ? 1 : 0);
  return {};
}

// One element a byte.
std::string store_4bit(Tensor& tensor, Index position, const Number& number) {
  const double value = as_double(number);
  const IntegerRange range = dtype_integer_range(tensor.dtype());
  if (value != std::trunc(value) || value < static_cast<double>(range.min) || value > static_cast<double>(range.max)) {
    return fmt::format("{} does not fit {} ({} to {})", number_text(number), dtype_name(tensor.dtype()), range.min,
                       range.max);
  }
  put<std::int8_t>(tensor, position, static_cast<std::int8_t>(value));
  return {};
}

std::string store_floating(Tensor& tensor, Index position, const Number& number) {
  const double value = as_double(number);
  const auto narrow = static_cast<float>(value);
  bool fits = std::isfinite(value);
  switch (tensor.dtype()) {
    case DType::kFloat64:
      put(tensor, position, value);
      break;
    case DType::kFloat16: {
      const std::uint16_t bits = float_to_float16(narrow);
      fits = fits && std::isfinite(float16_to_float(bits));
      put(tensor, position, bits);
      break;
    }
    case DType::kBfloat16: {
      const std::uint16_t bits = float_to_bfloat16(narrow);
      fits = fits && std::isfinite(narrow) && std::isfinite(bfloat16_to_float(bits));
      put(tensor, position, bits);
      break;
    }
    default:
      fits = fits && std::isfinite(narrow);
      put(tensor, position, narrow);
  }
  if (!fits) {
    return fmt::format("{} is beyond the range of {}", number_text(number), dtype_name(tensor.dtype()));
  }
  return {};
}

}  // namespace

Number number_of(const Json& json) {
  if (json.is_boolean()) {
    return static_cast<std::int64_t>(json.get<bool>() ? 1 : 0);
  }
  if (json.is_number_unsigned()) {
    return json.get<std::uint64_t>();
  }
  if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  }
  assert(json.is_number_float());
  return json.get<double>();
}

bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}

std::string store(Tensor& tensor, Index position, const Number& number) {
  switch (tensor.dtype()) {
    case DType::kInt8:
      return store_integer<std::int8_t>(tensor, position, number);
    case DType::kUint8:
      return store_integer<std::uint8_t>(tensor, position, number);
    case DType::kInt16:
      return store_integer<std::int16_t>(tensor, position, number);
    case DType::kUint16:
      return store_integer<std::uint16_t>(tensor, position, number);
    case DType::kInt32:
      return store_integer<std::int32_t>(tensor, position, number);
    case DType::kUint32:
      return store_integer<std::uint32_t>(tensor, position, number);
    case DType::kInt64:
      return store_integer<std::int64_t>(tensor, position, number);
    case DType::kUint64:
      return store_integer<std::uint64_t>(tensor, position, number);
    case DType::kBool:
      return store_bool(tensor, position, number);
    case DType::kInt4:
    case DType::kUint4:
      return store_4bit(tensor, position, number);
    case DType::kUndefined:
      return "the tensor has no type";
    default:
      return store_floating(tensor, position, number);
  }
}

}  // namespace assay::spec
