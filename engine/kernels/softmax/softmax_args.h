// SPDX-License-Identifier: Apache-2.0
// The arguments of softmax; softmax.h has the contract. Plain structs and no other header of the project, because files
// compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct SoftmaxArgs {
  const float* x = nullptr;  // [rows, length]
  float* y = nullptr;        // [rows, length], may be x
  std::int64_t rows = 1;
  std::int64_t length = 1;
};

struct QLinearSoftmaxArgs {
  const std::uint8_t* x = nullptr;  // [rows, length]
  std::uint8_t* y = nullptr;        // [rows, length], may be x; of x's type
  std::int64_t rows = 1;
  std::int64_t length = 1;
  bool is_signed = false;
  const float* exponentials = nullptr;  // 256, of the distances to the largest of a row
  float steps = 256;                    // of the output between 0 and 1
  std::int32_t y_zero_point = 0;
};

}  // namespace assay::kernels
