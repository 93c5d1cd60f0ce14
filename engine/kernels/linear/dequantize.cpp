// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "engine/base/rounding.h"
#include "engine/kernels/linear/linear.h"

namespace assay::kernels {
namespace {

template <typename T>
void dequantize_from(const DequantizeArgs& args) {
  const T* x = static_cast<const T*>(args.x);
  float* __restrict y = args.y;
  const float scale = args.scale;
  const std::int32_t zero_point = args.zero_point;
  for (std::int64_t i = 0; i < args.count; ++i) {
    y[i] = static_cast<float>(wrapping_sub(x[i], zero_point)) * scale;
  }
}

}  // namespace

void dequantize_linear(const DequantizeArgs& args) {
  switch (args.x_type) {
    case LinearType::kInt8:
      return dequantize_from<std::int8_t>(args);
    case LinearType::kInt16:
      return dequantize_from<std::int16_t>(args);
    case LinearType::kUint16:
      return dequantize_from<std::uint16_t>(args);
    case LinearType::kInt32:
      return dequantize_from<std::int32_t>(args);
    default:
      return dequantize_from<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
