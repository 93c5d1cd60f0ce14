// SPDX-License-Identifier: Apache-2.0
// The number that a byte of an int8 (is_signed) or uint8 tensor stands for; `byte` is taken modulo 256.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::test {

constexpr std::int32_t byte_value(Index byte, bool is_signed) {
  const auto raw = static_cast<std::uint8_t>(byte);
  return is_signed ? static_cast<std::int8_t>(raw) : raw;
}

}  // namespace assay::test
