// SPDX-License-Identifier: Apache-2.0
// Element types, by their numpy names ("float32", "uint8", ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

using Index = std::int64_t;

enum class DType : std::uint8_t {
  kUndefined,
  kFloat32,
  kFloat64,
  kFloat16,   // stored as its 16 bits
  kBfloat16,  // stored as its 16 bits
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kBool,  // one byte, 0 or 1
  kInt4,  // one element a byte in memory (as int8 and uint8); two a byte in files
  kUint4,
};

// Bytes of one element; 0 for kUndefined.
std::size_t dtype_size_bytes(DType dtype);
std::string_view dtype_name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);

// The smallest and largest value of a 4-, 8-, 16- or 32-bit integer type; {0, 0} for other types.
struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
IntegerRange dtype_integer_range(DType dtype);
inline bool is_8bit(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUint8; }
inline bool is_4bit(DType dtype) { return dtype == DType::kInt4 || dtype == DType::kUint4; }
inline bool is_16bit(DType dtype) { return dtype == DType::kInt16 || dtype == DType::kUint16; }

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::kUint8;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::kUint16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::kUint32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::kUint64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};

}  // namespace assay
