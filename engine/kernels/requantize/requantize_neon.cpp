// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD: 16 columns at a time, the last ones through buffers. fcvtns rounds half to even in every rounding
// mode; fmaxnm and fminnm take the number where the other operand is NaN. scvtf rounds as float32 does.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/requantize/requantize_args.h"

namespace assay::kernels {
namespace {

constexpr std::int64_t kLanes = 16;

struct Output {
  float32x4_t low;  // clamp_min - y_zero_point
  float32x4_t high;
  uint8x16_t zero_point;  // the sum wraps to the right byte of either type
};

// What the columns are made of.
struct Columns {
  const std::int32_t* acc;
  const std::int32_t* offset;
  const std::int32_t* b_zero_point;
  const float* scale;
};

// 4 columns, before the zero point is added.
template <bool kShifted>
__attribute__((always_inline)) inline int32x4_t convert(const Columns& columns, std::int64_t j, int32x4_t row_sum,
                                                        const Output& output) {
  int32x4_t v = vaddq_s32(vld1q_s32(columns.acc + j), vld1q_s32(columns.offset + j));
  if constexpr (kShifted) {
    v = vmlsq_s32(v, vld1q_s32(columns.b_zero_point + j), row_sum);
  }
  const float32x4_t product = vmulq_f32(vcvtq_f32_s32(v), vld1q_f32(columns.scale + j));
  return vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(product, output.low), output.high));
}

// 16 columns; only the low bytes are kept.
template <bool kShifted>
__attribute__((always_inline)) inline uint8x16_t convert16(const Columns& columns, std::int64_t j, int32x4_t row_sum,
                                                           const Output& output) {
  int32x4_t v[4];
#pragma GCC unroll 4
  for (int t = 0; t < 4; ++t) {
    v[t] = convert<kShifted>(columns, j + t * 4, row_sum, output);
  }
  const int16x8_t low = vcombine_s16(vmovn_s32(v[0]), vmovn_s32(v[1]));
  const int16x8_t high = vcombine_s16(vmovn_s32(v[2]), vmovn_s32(v[3]));
  return vaddq_u8(vreinterpretq_u8_s8(vcombine_s8(vmovn_s16(low), vmovn_s16(high))), output.zero_point);
}

template <bool kShifted>
void run_tail(const Columns& columns, std::int64_t j, std::int64_t count, int32x4_t row_sum, const Output& output,
              std::uint8_t* y) {
  std::int32_t acc[kLanes] = {};
  std::int32_t offset[kLanes] = {};
  std::int32_t b_zero_point[kLanes] = {};
  float scale[kLanes] = {};
  for (std::int64_t t = 0; t < count; ++t) {
    acc[t] = columns.acc[j + t];
    offset[t] = columns.offset[j + t];
    b_zero_point[t] = kShifted ? columns.b_zero_point[j + t] : 0;
    scale[t] = columns.scale[j + t];
  }
  std::uint8_t bytes[kLanes];
  vst1q_u8(bytes, convert16<kShifted>({acc, offset, b_zero_point, scale}, 0, row_sum, output));
  for (std::int64_t t = 0; t < count; ++t) {
    y[j + t] = bytes[t];
  }
}

template <bool kShifted>
void run(const RequantizeArgs& args) {
  const Output output = {vdupq_n_f32(static_cast<float>(args.clamp_min - args.y_zero_point)),
                         vdupq_n_f32(static_cast<float>(args.clamp_max - args.y_zero_point)),
                         vdupq_n_u8(static_cast<std::uint8_t>(args.y_zero_point))};
  for (std::int64_t i = 0; i < args.rows; ++i) {
    const Columns columns = {args.acc + i * args.acc_stride, args.column_offset, args.b_zero_point, args.scale};
    std::uint8_t* y = static_cast<std::uint8_t*>(args.y) + i * args.y_row_stride_bytes;
    const int32x4_t row_sum = vdupq_n_s32(kShifted ? args.row_sum[i] : 0);
    std::int64_t j = 0;
    for (; j + kLanes <= args.columns; j += kLanes) {
      vst1q_u8(y + j, convert16<kShifted>(columns, j, row_sum, output));
    }
    if (j < args.columns) {
      run_tail<kShifted>(columns, j, args.columns - j, row_sum, output, y);
    }
  }
}

}  // namespace

void requantize_neon(const RequantizeArgs& args) {
  if (args.b_zero_point == nullptr) {
    run<false>(args);
  } else {
    run<true>(args);
  }
}

}  // namespace assay::kernels
