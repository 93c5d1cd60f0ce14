// SPDX-License-Identifier: Apache-2.0
#include "engine/base/dtype.h"

#include <array>
#include <limits>

namespace assay {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t size_bytes;
  IntegerRange range;
};

template <typename T>
constexpr IntegerRange range_of() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// In the order of the enum, so that a type indexes its row.
constexpr std::array<Row, 16> kRows = {{
    {DType::kUndefined, "undefined", 0, {}},
    {DType::kFloat32, "float32", 4, {}},
    {DType::kFloat64, "float64", 8, {}},
    {DType::kFloat16, "float16", 2, {}},
    {DType::kBfloat16, "bfloat16", 2, {}},
    {DType::kInt8, "int8", 1, range_of<std::int8_t>()},
    {DType::kUint8, "uint8", 1, range_of<std::uint8_t>()},
    {DType::kInt16, "int16", 2, range_of<std::int16_t>()},
    {DType::kUint16, "uint16", 2, range_of<std::uint16_t>()},
    {DType::kInt32, "int32", 4, range_of<std::int32_t>()},
    {DType::kUint32, "uint32", 4, range_of<std::uint32_t>()},
    {DType::kInt64, "int64", 8, {}},
    {DType::kUint64, "uint64", 8, {}},
    {DType::kBool, "bool", 1, {}},
    {DType::kInt4, "int4", 1, {-8, 7}},
    {DType::kUint4, "uint4", 1, {0, 15}},
}};

const Row& row_of(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t dtype_size_bytes(DType dtype) { return row_of(dtype).size_bytes; }

std::string_view dtype_name(DType dtype) { return row_of(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name && row.dtype != DType::kUndefined) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

IntegerRange dtype_integer_range(DType dtype) { return row_of(dtype).range; }

}  // namespace assay
