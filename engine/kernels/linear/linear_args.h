// SPDX-License-Identifier: Apache-2.0
// The arguments of quantize and dequantize; linear.h has the contract. Plain structs and no other header of the
// project, because files compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

enum class LinearType { kInt8, kUint8, kInt16, kUint16, kInt32 };

struct QuantizeArgs {
  const float* x = nullptr;
  std::int64_t count = 0;
  float scale = 1;
  std::int32_t zero_point = 0;
  LinearType y_type = LinearType::kUint8;  // all but int32
  void* y = nullptr;
};

struct DequantizeArgs {
  const void* x = nullptr;
  LinearType x_type = LinearType::kUint8;
  std::int64_t count = 0;
  float scale = 1;
  std::int32_t zero_point = 0;
  float* y = nullptr;
};

struct FloatRange {
  float low = 0;
  float high = 0;
};

}  // namespace assay::kernels
