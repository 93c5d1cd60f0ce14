// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD. A band of image rows becomes int16 values x - x_zero_point, zero outside the image; smlal adds a tap
// of eight neighbouring outputs at a time to int32 sums, exactly. Stride 2 loads every other value. The sums of 16
// outputs are stored, or requantized: fcvtns rounds half to even; fmaxnm and fminnm take the number where the other
// operand is NaN. Wider strides, and rows or kernels too large for the buffers, are left to the portable kernel.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/depthwise/depthwise_args.h"

namespace assay::kernels {

void depthwise_scalar(const DepthwiseArgs& args);

namespace {

constexpr std::int64_t kBand = std::int64_t{12} << 10;  // int16 elements
constexpr std::int64_t kSlack = 64;  // behind the band: read by the last vectors, for outputs that nobody keeps
constexpr std::int64_t kMostTaps = 256;
constexpr std::int64_t kOutputs = 16;

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

std::int64_t span(std::int64_t outputs, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

struct Taps {
  std::int64_t offset[kMostTaps];  // from where the window begins
  std::int16_t weight[kMostTaps];  // w - w_zero_point
  int count = 0;
};

// The kernel has at most kMostTaps.
void list_taps(const DepthwiseArgs& args, std::int64_t pitch, Taps& taps) {
  for (std::int64_t ky = 0; ky < args.kernel_h; ++ky) {
    for (std::int64_t kx = 0; kx < args.kernel_w; ++kx) {
      const std::int64_t tap = ky * args.kernel_w + kx;
      const std::int32_t raw =
          args.w_signed ? static_cast<const std::int8_t*>(args.w)[tap] : static_cast<const std::uint8_t*>(args.w)[tap];
      taps.offset[taps.count] = ky * args.dilation_h * pitch + kx * args.dilation_w;
      taps.weight[taps.count] = static_cast<std::int16_t>(raw - args.w_zero_point);
      ++taps.count;
    }
  }
}

// Eight consecutive values x - x_zero_point.
void fill8(const DepthwiseArgs& args, const std::uint8_t* x, std::int16_t* out) {
  const uint8x8_t bytes = vld1_u8(x);
  const int16x8_t words = args.x_signed ? vmovl_s8(vreinterpret_s8_u8(bytes)) : vreinterpretq_s16_u16(vmovl_u8(bytes));
  vst1q_s16(out, vsubq_s16(words, vdupq_n_s16(static_cast<std::int16_t>(args.x_zero_point))));
}

// `count` consecutive values; the last vector overlaps the one before.
void fill_inside(const DepthwiseArgs& args, const std::uint8_t* x, std::int64_t count, std::int16_t* out) {
  if (count >= 8) {
    for (std::int64_t t = 0; t + 8 < count; t += 8) {
      fill8(args, x + t, out + t);
    }
    fill8(args, x + count - 8, out + count - 8);
    return;
  }
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int32_t raw = args.x_signed ? static_cast<std::int8_t>(x[t]) : x[t];
    out[t] = static_cast<std::int16_t>(raw - args.x_zero_point);
  }
}

void fill_zero(std::int16_t* out, std::int64_t count) {
  for (std::int64_t t = 0; t < count; ++t) {
    out[t] = 0;
  }
}

// Columns -pad_left .. pitch - pad_left of image row iy.
void fill_row(const DepthwiseArgs& args, std::int64_t iy, std::int64_t pitch, std::int16_t* out) {
  if (iy < 0 || iy >= args.height) {
    fill_zero(out, pitch);
    return;
  }
  const std::int64_t skipped = args.pad_left < 0 ? -args.pad_left : 0;
  const std::int64_t before = args.pad_left > 0 ? least(args.pad_left, pitch) : 0;
  const std::int64_t available = args.width > skipped ? args.width - skipped : 0;
  const std::int64_t inside = least(available, pitch - before);
  fill_zero(out, before);
  fill_inside(args, static_cast<const std::uint8_t*>(args.x) + iy * args.width + skipped, inside, out + before);
  fill_zero(out + before + inside, pitch - before - inside);
}

struct Output {
  float32x4_t scale;
  float32x4_t low;  // clamp_min - y_zero_point
  float32x4_t high;
  uint8x16_t zero_point;  // the sum wraps to the right byte of either type
};

Output output_of(const DepthwiseArgs& args) {
  return {vdupq_n_f32(args.scale), vdupq_n_f32(static_cast<float>(args.clamp_min - args.y_zero_point)),
          vdupq_n_f32(static_cast<float>(args.clamp_max - args.y_zero_point)),
          vdupq_n_u8(static_cast<std::uint8_t>(args.y_zero_point))};
}

__attribute__((always_inline)) inline int16x4_t rounded(int32x4_t acc, const Output& output) {
  const float32x4_t product = vmulq_f32(vcvtq_f32_s32(acc), output.scale);
  return vmovn_s32(vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(product, output.low), output.high)));
}

__attribute__((always_inline)) inline uint8x16_t bytes_of(const int32x4_t (&sums)[4], const Output& output) {
  const int16x8_t low = vcombine_s16(rounded(sums[0], output), rounded(sums[1], output));
  const int16x8_t high = vcombine_s16(rounded(sums[2], output), rounded(sums[3], output));
  return vaddq_u8(vreinterpretq_u8_s8(vcombine_s8(vmovn_s16(low), vmovn_s16(high))), output.zero_point);
}

// Some output rows, from the first element that they read.
struct Rows {
  const std::int16_t* x = nullptr;
  std::int64_t x_step = 0;  // elements from row to row
  std::int64_t count = 0;
  std::int64_t out_w = 0;
  std::int32_t* sums = nullptr;  // or else bytes
  std::uint8_t* y = nullptr;
};

__attribute__((always_inline)) inline void store_sums(const int32x4_t (&sums)[4], std::int64_t count,
                                                      std::int32_t* out) {
  std::int32_t all[kOutputs];
  std::int32_t* to = count >= kOutputs ? out : all;
  for (int i = 0; i < 4; ++i) {
    vst1q_s32(to + 4 * i, sums[i]);
  }
  for (std::int64_t i = 0; to == all && i < count; ++i) {
    out[i] = all[i];
  }
}

__attribute__((always_inline)) inline void store_bytes(uint8x16_t bytes, std::int64_t count, std::uint8_t* y) {
  if (count >= kOutputs) {
    vst1q_u8(y, bytes);
    return;
  }
  std::uint8_t all[kOutputs];
  vst1q_u8(all, bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = all[i];
  }
}

// The values of eight neighbouring outputs.
template <int kStride>
__attribute__((always_inline)) inline int16x8_t load8(const std::int16_t* x) {
  return kStride == 1 ? vld1q_s16(x) : vld2q_s16(x).val[0];
}

// kTaps: the number of taps, or 0 where it is taps.count.
template <int kStride, int kTaps>
void run_rows(const Taps& taps, std::int32_t bias, const Output& parameters, const Rows& rows) {
  const Output output = parameters;
  const int count = kTaps == 0 ? taps.count : kTaps;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (std::int64_t t = 0; t < rows.out_w; t += kOutputs) {
      const std::int16_t* x = rows.x + r * rows.x_step + t * kStride;
      int32x4_t sums[4] = {vdupq_n_s32(bias), vdupq_n_s32(bias), vdupq_n_s32(bias), vdupq_n_s32(bias)};
#pragma GCC unroll 9
      for (int p = 0; p < count; ++p) {
        const int16x8_t first = load8<kStride>(x + taps.offset[p]);
        const int16x8_t second = load8<kStride>(x + taps.offset[p] + 8 * kStride);
        const std::int16_t weight = taps.weight[p];
        sums[0] = vmlal_n_s16(sums[0], vget_low_s16(first), weight);
        sums[1] = vmlal_high_n_s16(sums[1], first, weight);
        sums[2] = vmlal_n_s16(sums[2], vget_low_s16(second), weight);
        sums[3] = vmlal_high_n_s16(sums[3], second, weight);
      }
      const std::int64_t to = r * rows.out_w + t;
      if (rows.sums == nullptr) {
        store_bytes(bytes_of(sums, output), rows.out_w - t, rows.y + to);
      } else {
        store_sums(sums, rows.out_w - t, rows.sums + to);
      }
    }
  }
}

// 9 taps: 3 x 3.
void run(const DepthwiseArgs& args, const Taps& taps, const Output& output, const Rows& rows) {
  if (args.stride_w == 1) {
    (taps.count == 9 ? run_rows<1, 9> : run_rows<1, 0>)(taps, args.bias, output, rows);
  } else {
    (taps.count == 9 ? run_rows<2, 9> : run_rows<2, 0>)(taps, args.bias, output, rows);
  }
}

}  // namespace

void depthwise_neon(const DepthwiseArgs& args) {
  if (args.out_w < 1) {
    return;
  }
  const std::int64_t pitch = span(args.out_w, args.stride_w, args.kernel_w, args.dilation_w);
  const std::int64_t rows_of_one = (args.kernel_h - 1) * args.dilation_h + 1;
  if (args.stride_w > 2 || pitch * rows_of_one > kBand || args.kernel_h * args.kernel_w > kMostTaps) {
    depthwise_scalar(args);
    return;
  }
  Taps taps;
  list_taps(args, pitch, taps);
  std::int16_t band[kBand + kSlack];
  const Output output = output_of(args);
  const std::int64_t most_rows = (kBand / pitch - rows_of_one) / args.stride_h + 1;
  for (std::int64_t oy0 = 0; oy0 < args.out_h; oy0 += most_rows) {
    const std::int64_t rows = least(most_rows, args.out_h - oy0);
    const std::int64_t band_rows = span(rows, args.stride_h, args.kernel_h, args.dilation_h);
    for (std::int64_t r = 0; r < band_rows; ++r) {
      fill_row(args, oy0 * args.stride_h - args.pad_top + r, pitch, band + r * pitch);
    }
    const std::int64_t at = oy0 * args.out_w;
    run(args, taps, output,
        {.x = band,
         .x_step = args.stride_h * pitch,
         .count = rows,
         .out_w = args.out_w,
         .sums = args.acc == nullptr ? nullptr : args.acc + at,
         .y = args.acc == nullptr ? args.y + at : nullptr});
  }
}

}  // namespace assay::kernels
