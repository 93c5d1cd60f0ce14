// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix of bytes: to[j*to_stride + i] = from[i*from_stride + j]. This is how channel-first images become
// the rows of a matrix product and its rows become channel-first images again.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace assay::kernels {

struct ByteTransposeArgs {
  const std::uint8_t* from = nullptr;  // [rows, columns], rows from_stride bytes apart
  Index rows = 0;
  Index columns = 0;
  Index from_stride = 0;
  std::uint8_t* to = nullptr;  // [columns, rows], rows to_stride bytes apart
  Index to_stride = 0;
};
void transpose_bytes(const ByteTransposeArgs& args);

}  // namespace assay::kernels
