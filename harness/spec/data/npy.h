// SPDX-License-Identifier: Apache-2.0
// numpy's .npy format, versions 1 to 3.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/ir/tensor.h"

namespace assay::spec {

// Types: numpy's bool, integers of 1 to 8 bytes, float16, float32, float64, in either byte order; C or Fortran order
// (the result is row-major). Errors say what is wrong with the header or how many bytes are missing or left over;
// nothing is allocated before the header agrees with the number of bytes there.
Result<Tensor> parse_npy(std::span<const std::byte> bytes);

// Version 1, little-endian, C order. bfloat16, which numpy does not have, is widened to float32.
Result<std::string> format_npy(const Tensor& tensor);

}  // namespace assay::spec
