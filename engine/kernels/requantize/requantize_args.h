// SPDX-License-Identifier: Apache-2.0
// The arguments of requantization; requantize.h has the contract. A plain struct and no other header of the project,
// because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct RequantizeArgs {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const std::int32_t* acc = nullptr;
  std::int64_t acc_stride = 0;                  // elements between rows
  const std::int32_t* column_offset = nullptr;  // [columns]
  const std::int32_t* row_sum = nullptr;        // [rows] sums of the raw A row; may be null if every b_zero_point is 0
  const std::int32_t* b_zero_point = nullptr;   // [columns]; null: all 0
  const float* scale = nullptr;                 // [columns]
  std::int32_t y_zero_point = 0;
  std::int32_t clamp_min = 0;
  std::int32_t clamp_max = 255;
  bool y_signed = false;
  void* y = nullptr;  // element (i, j) at y + i*y_row_stride + j*y_column_stride bytes
  std::int64_t y_row_stride_bytes = 0;
  std::int64_t y_column_stride_bytes = 1;
};

}  // namespace assay::kernels
