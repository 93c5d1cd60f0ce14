// SPDX-License-Identifier: Apache-2.0
// Random 8-bit operands, as the tensors that operators take and the integers that the oracle takes.
#pragma once

#include "engine/ir/tensor.h"
#include "tests/support/oracle/integers.h"
#include "tests/support/random.h"

namespace assay::test {

inline Tensor byte_tensor(const Shape& shape, const oracle::Integers& values, bool is_signed) {
  Tensor tensor = Tensor::allocate(is_signed ? DType::kInt8 : DType::kUint8, shape).value();
  auto* bytes = reinterpret_cast<std::uint8_t*>(tensor.mutable_bytes());
  for (std::size_t i = 0; i < values.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(values[i]);
  }
  return tensor;
}

inline oracle::Integers byte_values(const Tensor& tensor) {
  return oracle::integers_of({reinterpret_cast<const std::uint8_t*>(tensor.bytes()), tensor.size_bytes()},
                             tensor.dtype() == DType::kInt8);
}

// Half of the tensors are uniform, half lean to the ends of the range, where pairs saturate.
inline oracle::Integers random_bytes(Random& random, Index count, bool is_signed) {
  const std::int64_t low = is_signed ? -128 : 0;
  const bool extreme = random.chance(0.5);
  oracle::Integers values;
  for (Index i = 0; i < count; ++i) {
    const bool at_end = extreme && random.chance(0.6);
    const std::int64_t value = at_end ? low + (random.chance(0.5) ? 255 : 0) : random.integer(low, low + 255);
    values.push_back(static_cast<std::int32_t>(value));
  }
  return values;
}

inline Tensor random_byte_tensor(Random& random, const Shape& shape, bool is_signed) {
  return byte_tensor(shape, random_bytes(random, element_count(shape).value(), is_signed), is_signed);
}

inline Tensor zero_point_tensor(std::int32_t value, bool is_signed) { return byte_tensor({}, {value}, is_signed); }

}  // namespace assay::test
