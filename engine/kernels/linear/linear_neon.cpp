// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD, 16 elements a step. The last step of a span ends with it and repeats elements of the step before;
// shorter spans go through a buffer, or the portable code. fmaxnm and fminnm take the number where the quotient is NaN,
// fcvtns rounds half to even. The range compares and selects as the portable code does: fminnm would order zeros by
// sign, and pass on a signalling NaN.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/linear/linear_args.h"

namespace assay::kernels {

void quantize_linear(const QuantizeArgs& args);
void dequantize_linear(const DequantizeArgs& args);
void quantize_linear_neon(const QuantizeArgs& args);
void dequantize_linear_neon(const DequantizeArgs& args);
FloatRange float_range_neon(const float* x, std::int64_t count);

namespace {

constexpr std::int64_t kStep = 16;
constexpr std::int64_t kVector = 4;

struct Rounding {
  float32x4_t scale;
  float32x4_t low;
  float32x4_t high;
  int32x4_t zero_point;
};

std::int32_t lowest(LinearType type) {
  return type == LinearType::kInt8 ? INT8_MIN : type == LinearType::kInt16 ? INT16_MIN : 0;
}

std::int32_t highest(LinearType type) {
  switch (type) {
    case LinearType::kInt8:
      return INT8_MAX;
    case LinearType::kInt16:
      return INT16_MAX;
    case LinearType::kUint16:
      return UINT16_MAX;
    default:
      return UINT8_MAX;
  }
}

// The low 16 bits of four results.
int16x4_t quantized(const float* x, const Rounding& r) {
  const float32x4_t q = vdivq_f32(vld1q_f32(x), r.scale);
  const float32x4_t clamped = vminnmq_f32(vmaxnmq_f32(q, r.low), r.high);
  return vmovn_s32(vaddq_s32(vcvtnq_s32_f32(clamped), r.zero_point));
}

template <LinearType kType>
void quantize_step(const float* x, const Rounding& r, void* y, std::int64_t at) {
  const int16x8_t low = vcombine_s16(quantized(x + at, r), quantized(x + at + kVector, r));
  const int16x8_t high = vcombine_s16(quantized(x + at + 2 * kVector, r), quantized(x + at + 3 * kVector, r));
  if constexpr (kType == LinearType::kInt8 || kType == LinearType::kUint8) {
    vst1q_s8(static_cast<std::int8_t*>(y) + at, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
  } else {
    vst1q_s16(static_cast<std::int16_t*>(y) + at, low);
    vst1q_s16(static_cast<std::int16_t*>(y) + at + 8, high);
  }
}

template <LinearType kType, typename T>
void quantize_to(const QuantizeArgs& args) {
  const Rounding r = {vdupq_n_f32(args.scale), vdupq_n_f32(static_cast<float>(lowest(kType) - args.zero_point)),
                      vdupq_n_f32(static_cast<float>(highest(kType) - args.zero_point)), vdupq_n_s32(args.zero_point)};
  if (args.count >= kStep) {
    std::int64_t i = 0;
    for (; i + kStep <= args.count; i += kStep) {
      quantize_step<kType>(args.x, r, args.y, i);
    }
    if (i < args.count) {
      quantize_step<kType>(args.x, r, args.y, args.count - kStep);
    }
    return;
  }
  float x[kStep] = {};
  T y[kStep];
  for (std::int64_t i = 0; i < args.count; ++i) {
    x[i] = args.x[i];
  }
  quantize_step<kType>(x, r, y, 0);
  for (std::int64_t i = 0; i < args.count; ++i) {
    static_cast<T*>(args.y)[i] = y[i];
  }
}

// Eight elements.
struct Eight {
  int32x4_t low;
  int32x4_t high;
};

template <LinearType kType>
Eight load(const void* x, std::int64_t at) {
  if constexpr (kType == LinearType::kInt32) {
    const auto* from = static_cast<const std::int32_t*>(x) + at;
    return {vld1q_s32(from), vld1q_s32(from + kVector)};
  } else if constexpr (kType == LinearType::kUint8 || kType == LinearType::kUint16) {
    const uint16x8_t words = kType == LinearType::kUint8 ? vmovl_u8(vld1_u8(static_cast<const std::uint8_t*>(x) + at))
                                                         : vld1q_u16(static_cast<const std::uint16_t*>(x) + at);
    return {vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))), vreinterpretq_s32_u32(vmovl_high_u16(words))};
  } else {
    const int16x8_t words = kType == LinearType::kInt8 ? vmovl_s8(vld1_s8(static_cast<const std::int8_t*>(x) + at))
                                                       : vld1q_s16(static_cast<const std::int16_t*>(x) + at);
    return {vmovl_s16(vget_low_s16(words)), vmovl_high_s16(words)};
  }
}

template <LinearType kType>
void dequantize_from(const DequantizeArgs& args) {
  constexpr std::int64_t kEight = 8;
  if (args.count < kEight) {
    dequantize_linear(args);
    return;
  }
  const float32x4_t scale = vdupq_n_f32(args.scale);
  const int32x4_t zero_point = vdupq_n_s32(args.zero_point);
  const auto eight = [&](std::int64_t at) {
    const Eight x = load<kType>(args.x, at);
    vst1q_f32(args.y + at, vmulq_f32(vcvtq_f32_s32(vsubq_s32(x.low, zero_point)), scale));
    vst1q_f32(args.y + at + kVector, vmulq_f32(vcvtq_f32_s32(vsubq_s32(x.high, zero_point)), scale));
  };
  std::int64_t i = 0;
  for (; i + kStep <= args.count; i += kStep) {
    eight(i);
    eight(i + kEight);
  }
  if (i + kEight <= args.count) {
    eight(i);
    i += kEight;
  }
  if (i < args.count) {
    eight(args.count - kEight);
  }
}

float32x4_t smaller(float32x4_t v, float32x4_t low) { return vbslq_f32(vcltq_f32(v, low), v, low); }
float32x4_t larger(float32x4_t v, float32x4_t high) { return vbslq_f32(vcgtq_f32(v, high), v, high); }

void widen_range(FloatRange& range, const float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    range.low = x[i] < range.low ? x[i] : range.low;
    range.high = x[i] > range.high ? x[i] : range.high;
  }
}

}  // namespace

void quantize_linear_neon(const QuantizeArgs& args) {
  switch (args.y_type) {
    case LinearType::kInt8:
      return quantize_to<LinearType::kInt8, std::int8_t>(args);
    case LinearType::kInt16:
      return quantize_to<LinearType::kInt16, std::int16_t>(args);
    case LinearType::kUint16:
      return quantize_to<LinearType::kUint16, std::uint16_t>(args);
    default:
      return quantize_to<LinearType::kUint8, std::uint8_t>(args);
  }
}

void dequantize_linear_neon(const DequantizeArgs& args) {
  switch (args.x_type) {
    case LinearType::kInt8:
      return dequantize_from<LinearType::kInt8>(args);
    case LinearType::kInt16:
      return dequantize_from<LinearType::kInt16>(args);
    case LinearType::kUint16:
      return dequantize_from<LinearType::kUint16>(args);
    case LinearType::kInt32:
      return dequantize_from<LinearType::kInt32>(args);
    default:
      return dequantize_from<LinearType::kUint8>(args);
  }
}

FloatRange float_range_neon(const float* x, std::int64_t count) {
  float32x4_t low[4];
  float32x4_t high[4];
  for (int lane = 0; lane < 4; ++lane) {
    low[lane] = vdupq_n_f32(0);
    high[lane] = vdupq_n_f32(0);
  }
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    for (int lane = 0; lane < 4; ++lane) {
      const float32x4_t v = vld1q_f32(x + i + lane * kVector);
      low[lane] = smaller(v, low[lane]);
      high[lane] = larger(v, high[lane]);
    }
  }
  float lows[kVector];
  float highs[kVector];
  vst1q_f32(lows, smaller(smaller(low[0], low[1]), smaller(low[2], low[3])));
  vst1q_f32(highs, larger(larger(high[0], high[1]), larger(high[2], high[3])));
  FloatRange range;
  widen_range(range, lows, kVector);
  widen_range(range, highs, kVector);
  widen_range(range, x + i, count - i);
  return range;
}

}  // namespace assay::kernels
