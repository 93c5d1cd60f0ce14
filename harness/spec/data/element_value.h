// SPDX-License-Identifier: Apache-2.0
// Writing numbers into tensors of any type, refusing what the type cannot hold.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "engine/ir/tensor.h"
#include "harness/spec/document.h"

namespace assay::spec {

using Number = std::variant<double, std::int64_t, std::uint64_t>;

// true and false are 1 and 0. The JSON value is a number or a boolean (asserted).
Number number_of(const Json& json);

// Stores at element `position`. Integer types take whole numbers within their range, floating-point types finite
// numbers that do not overflow them (rounded to nearest even), bool 0 and 1. Returns "" or the reason without a
// position: "300 does not fit uint8 ([0,255])".
std::string store(Tensor& tensor, Index position, const Number& number);

bool is_floating(DType dtype);

}  // namespace assay::spec
