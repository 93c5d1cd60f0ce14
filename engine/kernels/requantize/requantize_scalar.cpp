// SPDX-License-Identifier: Apache-2.0
// Portable: the formula of requantize.h, step by step.
#include <bit>
#include <cstdint>

#include "engine/base/dtype.h"
#include "engine/kernels/requantize/requantize_args.h"

namespace assay::kernels {
namespace {

// float32 has no fraction at 1.5 * 2^23: adding it rounds an |x| below 2^22 half to even, and leaves the integer in the
// low bits. (Vectorises, unlike std::nearbyint.)
constexpr float kRounder = 12582912.0F;

struct Output {
  float low;  // clamp_min - y_zero_point
  float high;
  std::int32_t zero_point;
};

std::uint8_t quantized(std::uint32_t v, float scale, const Output& output) {
  const float product = static_cast<float>(static_cast<std::int32_t>(v)) * scale;
  const float raised = product > output.low ? product : output.low;  // NaN: low
  const float clamped = raised < output.high ? raised : output.high;
  // The low byte of kRounder's bits is 0, so the low byte of the sum is the result's.
  return static_cast<std::uint8_t>(std::bit_cast<std::int32_t>(clamped + kRounder) + output.zero_point);
}
static_assert((std::bit_cast<std::uint32_t>(kRounder) & 0xFFU) == 0);

void convert_row(const RequantizeArgs& args, Index i, const Output& output, std::uint8_t* __restrict y) {
  const std::int32_t* acc = args.acc + i * args.acc_stride;
  if (args.b_zero_point == nullptr) {
    for (Index j = 0; j < args.columns; ++j) {
      const std::uint32_t v = static_cast<std::uint32_t>(acc[j]) + static_cast<std::uint32_t>(args.column_offset[j]);
      y[j] = quantized(v, args.scale[j], output);
    }
    return;
  }
  const auto row_sum = static_cast<std::uint32_t>(args.row_sum[i]);
  for (Index j = 0; j < args.columns; ++j) {
    const std::uint32_t v = static_cast<std::uint32_t>(acc[j]) + static_cast<std::uint32_t>(args.column_offset[j]) -
                            static_cast<std::uint32_t>(args.b_zero_point[j]) * row_sum;
    y[j] = quantized(v, args.scale[j], output);
  }
}

}  // namespace

void requantize_scalar(const RequantizeArgs& args) {
  const Output output = {.low = static_cast<float>(args.clamp_min - args.y_zero_point),
                         .high = static_cast<float>(args.clamp_max - args.y_zero_point),
                         .zero_point = args.y_zero_point};
  auto* y = static_cast<std::uint8_t*>(args.y);
  for (Index i = 0; i < args.rows; ++i) {
    convert_row(args, i, output, y + i * args.y_row_stride_bytes);
  }
}

}  // namespace assay::kernels
