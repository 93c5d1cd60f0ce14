// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <limits>

#include "engine/kernels/linear/linear.h"

namespace assay::kernels {
namespace {

// float32 has no fraction at 1.5 * 2^23: adding it rounds an |x| below 2^22 half to even, and leaves the integer in the
// low bits. (Vectorises, unlike std::nearbyint.)
constexpr float kRounder = 12582912.0F;
static_assert((std::bit_cast<std::uint32_t>(kRounder) & 0xFFFFU) == 0);

template <typename T>
void quantize_to(const QuantizeArgs& args) {
  const float* x = args.x;
  T* __restrict y = static_cast<T*>(args.y);
  const float scale = args.scale;
  const std::int32_t zero_point = args.zero_point;
  const auto low = static_cast<float>(std::numeric_limits<T>::min() - zero_point);
  const auto high = static_cast<float>(std::numeric_limits<T>::max() - zero_point);
  for (std::int64_t i = 0; i < args.count; ++i) {
    const float q = x[i] / scale;
    const float raised = q > low ? q : low;  // NaN: low
    const float clamped = raised < high ? raised : high;
    // The low 16 bits of kRounder are 0, so those of the sum are the result's.
    y[i] = static_cast<T>(std::bit_cast<std::int32_t>(clamped + kRounder) + zero_point);
  }
}

}  // namespace

void quantize_linear(const QuantizeArgs& args) {
  switch (args.y_type) {
    case LinearType::kInt8:
      return quantize_to<std::int8_t>(args);
    case LinearType::kInt16:
      return quantize_to<std::int16_t>(args);
    case LinearType::kUint16:
      return quantize_to<std::uint16_t>(args);
    default:
      return quantize_to<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
