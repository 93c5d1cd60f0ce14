// SPDX-License-Identifier: Apache-2.0
// Integers of the oracle: values of any operand type as int32, so that no function asks whether bytes have a sign.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/profile.h"

namespace assay::oracle {

using Integers = std::vector<std::int32_t>;

// Bytes read as int8 or uint8.
Integers integers_of(std::span<const std::uint8_t> bytes, bool is_signed);

// The low 32 bits.
std::int32_t wrap_to_int32(std::int64_t value);

// One dot product over k = a.size() = b.size(). exact: the sum of all products. sat16-pairs: the sum over pairs of
// indices (0,1), (2,3), ... of the two products' sum limited to [-32768, 32767]; an odd last product is added as it is.
std::int64_t dot(std::span<const std::int32_t> a, std::span<const std::int32_t> b, Arithmetic arithmetic);

}  // namespace assay::oracle
