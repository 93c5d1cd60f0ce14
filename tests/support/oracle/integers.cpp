// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle/integers.h"

#include <algorithm>

namespace assay::oracle {

Integers integers_of(std::span<const std::uint8_t> bytes, bool is_signed) {
  Integers out;
  for (const std::uint8_t byte : bytes) {
    out.push_back(is_signed && byte > 127 ? byte - 256 : byte);
  }
  return out;
}

std::int32_t wrap_to_int32(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

std::int64_t dot(std::span<const std::int32_t> a, std::span<const std::int32_t> b, Arithmetic arithmetic) {
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < a.size(); p += 2) {
    std::int64_t pair = std::int64_t{a[p]} * b[p];
    if (p + 1 < a.size()) {
      pair += std::int64_t{a[p + 1]} * b[p + 1];
      if (arithmetic == Arithmetic::kSat16Pairs) {
        pair = std::clamp<std::int64_t>(pair, -32768, 32767);
      }
    }
    sum += pair;
  }
  return sum;
}

}  // namespace assay::oracle
