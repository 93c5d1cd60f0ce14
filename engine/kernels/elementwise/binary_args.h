// SPDX-License-Identifier: Apache-2.0
// The arguments of QLinearAdd and QLinearMul; binary.h has the contract. Plain structs and no other header of the
// project, because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct BinaryOperand {
  const void* data = nullptr;
  std::int64_t step = 1;  // elements: 1, or 0 to repeat the first
  float scale = 1;
  std::int32_t zero_point = 0;
};

struct BinaryArgs {
  BinaryOperand a = {};
  BinaryOperand b = {};
  bool is_signed = false;
  std::int64_t count = 0;
  float y_scale = 1;
  std::int32_t y_zero_point = 0;
  void* y = nullptr;
};

}  // namespace assay::kernels
