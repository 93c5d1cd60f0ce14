// SPDX-License-Identifier: Apache-2.0
// The arguments of byte transpositions; transpose_bytes.h has the contract. A plain struct and no other header of the
// project, because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct ByteTransposeArgs {
  const std::uint8_t* from = nullptr;  // [rows, columns], rows from_stride bytes apart
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t from_stride = 0;
  std::uint8_t* to = nullptr;  // [columns, rows], rows to_stride bytes apart
  std::int64_t to_stride = 0;
};

}  // namespace assay::kernels
