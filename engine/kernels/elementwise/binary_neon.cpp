// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD, 16 elements a step; a shorter last step goes through buffers. fmla is used where the formula has a
// fused multiply-add and nowhere else. fmaxnm gives the bound for NaN, fcvtns rounds half to even.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/elementwise/binary_args.h"

namespace assay::kernels {

void qlinear_add_fused_neon(const BinaryArgs& args);
void qlinear_add_unfused_neon(const BinaryArgs& args);
void qlinear_mul_neon(const BinaryArgs& args);

namespace {

constexpr std::int64_t kStep = 16;

enum class Operation { kAddFused, kAddUnfused, kMul };

struct Constants {
  float32x4_t a;     // add: ra; mul: the scale
  float32x4_t b;     // add: rb
  float32x4_t last;  // add: c; mul: y_z
  float32x4_t low;
  float32x4_t high;
  int16x8_t a_zero;  // mul
  int16x8_t b_zero;  // mul
};

template <Operation kOperation>
Constants constants_of(const BinaryArgs& args) {
  const auto a_zero = static_cast<float>(args.a.zero_point);
  const auto b_zero = static_cast<float>(args.b.zero_point);
  const auto y_zero = static_cast<float>(args.y_zero_point);
  Constants out;
  out.low = vdupq_n_f32(args.is_signed ? -128.0F : 0.0F);
  out.high = vdupq_n_f32(args.is_signed ? 127.0F : 255.0F);
  out.a_zero = vdupq_n_s16(static_cast<std::int16_t>(args.a.zero_point));
  out.b_zero = vdupq_n_s16(static_cast<std::int16_t>(args.b.zero_point));
  if (kOperation == Operation::kMul) {
    out.a = vdupq_n_f32(args.a.scale * args.b.scale / args.y_scale);
    out.b = out.a;
    out.last = vdupq_n_f32(y_zero);
    return out;
  }
  const float ra = args.a.scale / args.y_scale;
  const float rb = args.b.scale / args.y_scale;
  const float b_term = rb * b_zero;
  const float fused = vgetq_lane_f32(vfmaq_n_f32(vdupq_n_f32(b_term), vdupq_n_f32(ra), a_zero), 0);
  out.a = vdupq_n_f32(ra);
  out.b = vdupq_n_f32(rb);
  out.last = vdupq_n_f32(y_zero - (kOperation == Operation::kAddFused ? fused : ra * a_zero + b_term));
  return out;
}

template <bool kSigned>
int16x8_t widened(const std::uint8_t* bytes) {
  const uint8x8_t eight = vld1_u8(bytes);
  return kSigned ? vmovl_s8(vreinterpret_s8_u8(eight)) : vreinterpretq_s16_u16(vmovl_u8(eight));
}

// Four elements of a and b; for mul less their zero points.
template <Operation kOperation>
int32x4_t combined(int16x4_t a, int16x4_t b, const Constants& c) {
  const float32x4_t fa = vcvtq_f32_s32(vmovl_s16(a));
  const float32x4_t fb = vcvtq_f32_s32(vmovl_s16(b));
  float32x4_t v;
  if (kOperation == Operation::kMul) {
    // Differences of at most 255 and their products are exact in float32.
    v = vaddq_f32(vmulq_f32(vmulq_f32(fa, fb), c.a), c.last);
  } else if (kOperation == Operation::kAddFused) {
    v = vfmaq_f32(vfmaq_f32(c.last, fb, c.b), fa, c.a);
  } else {
    v = vaddq_f32(vmulq_f32(fb, c.b), vaddq_f32(vmulq_f32(fa, c.a), c.last));
  }
  return vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(v, c.low), c.high));
}

// A repeated operand is in its vector alone.
struct Spans {
  const std::uint8_t* a;
  const std::uint8_t* b;
  int16x8_t a_once;
  int16x8_t b_once;
};

template <Operation kOperation, bool kSigned, bool kStepA, bool kStepB>
void step(const Spans& spans, std::int64_t at, const Constants& c, std::uint8_t* y) {
  int8x8_t bytes[2];
  for (int i = 0; i < 2; ++i) {
    int16x8_t a = kStepA ? widened<kSigned>(spans.a + at + i * 8) : spans.a_once;
    int16x8_t b = kStepB ? widened<kSigned>(spans.b + at + i * 8) : spans.b_once;
    if (kOperation == Operation::kMul) {
      a = vsubq_s16(a, c.a_zero);
      b = vsubq_s16(b, c.b_zero);
    }
    const int32x4_t low = combined<kOperation>(vget_low_s16(a), vget_low_s16(b), c);
    const int32x4_t high = combined<kOperation>(vget_high_s16(a), vget_high_s16(b), c);
    bytes[i] = vmovn_s16(vcombine_s16(vmovn_s32(low), vmovn_s32(high)));
  }
  vst1q_u8(y + at, vreinterpretq_u8_s8(vcombine_s8(bytes[0], bytes[1])));
}

std::int16_t element(const void* data, bool is_signed) {
  return static_cast<std::int16_t>(is_signed ? *static_cast<const std::int8_t*>(data)
                                             : *static_cast<const std::uint8_t*>(data));
}

template <Operation kOperation, bool kSigned, bool kStepA, bool kStepB>
void run_steps(const BinaryArgs& args) {
  const Constants c = constants_of<kOperation>(args);
  const Spans spans = {static_cast<const std::uint8_t*>(args.a.data), static_cast<const std::uint8_t*>(args.b.data),
                       vdupq_n_s16(element(args.a.data, kSigned)), vdupq_n_s16(element(args.b.data, kSigned))};
  auto* y = static_cast<std::uint8_t*>(args.y);
  std::int64_t i = 0;
  for (; i + kStep <= args.count; i += kStep) {
    step<kOperation, kSigned, kStepA, kStepB>(spans, i, c, y);
  }
  const std::int64_t rest = args.count - i;
  if (rest == 0) {
    return;
  }
  std::uint8_t a[kStep] = {};
  std::uint8_t b[kStep] = {};
  std::uint8_t out[kStep];
  for (std::int64_t j = 0; j < rest; ++j) {
    a[j] = kStepA ? spans.a[i + j] : std::uint8_t{0};
    b[j] = kStepB ? spans.b[i + j] : std::uint8_t{0};
  }
  step<kOperation, kSigned, kStepA, kStepB>({a, b, spans.a_once, spans.b_once}, 0, c, out);
  for (std::int64_t j = 0; j < rest; ++j) {
    y[i + j] = out[j];
  }
}

template <Operation kOperation, bool kSigned>
void run_typed(const BinaryArgs& args) {
  if (args.a.step == 0) {
    return args.b.step == 0 ? run_steps<kOperation, kSigned, false, false>(args)
                            : run_steps<kOperation, kSigned, false, true>(args);
  }
  return args.b.step == 0 ? run_steps<kOperation, kSigned, true, false>(args)
                          : run_steps<kOperation, kSigned, true, true>(args);
}

template <Operation kOperation>
void run(const BinaryArgs& args) {
  if (args.count > 0) {
    args.is_signed ? run_typed<kOperation, true>(args) : run_typed<kOperation, false>(args);
  }
}

}  // namespace

void qlinear_add_fused_neon(const BinaryArgs& args) { run<Operation::kAddFused>(args); }
void qlinear_add_unfused_neon(const BinaryArgs& args) { run<Operation::kAddUnfused>(args); }
void qlinear_mul_neon(const BinaryArgs& args) { run<Operation::kMul>(args); }

}  // namespace assay::kernels
