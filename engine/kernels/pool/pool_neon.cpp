// SPDX-License-Identifier: Apache-2.0
// Advanced SIMD. Averages take eight windows at a time, maxima 16, global averages a plane or 16 planes. Strides 1 and
// 2 load registers; for stride 2 every other byte stays. Wider strides gather bytes one by one. fmaxnm gives the bound
// for NaN, fcvtns rounds half to even.
#include <arm_neon.h>

#include <cstdint>

#include "engine/kernels/pool/pool_args.h"

namespace assay::kernels {

void average_band_neon(const AverageBandArgs& args);
void max_band_neon(const MaxBandArgs& args);
void qlinear_global_average_pool_neon(const GlobalAveragePoolArgs& args);

namespace {

constexpr std::int64_t kWindows = 8;  // of a step of `average`
constexpr std::int64_t kBytes = 16;
constexpr std::int64_t kFlush = 256;  // sums of as many bytes fit into 16 bits

std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// The first `count` of 16 bytes.
void store_first(std::uint8_t* y, uint8x16_t bytes, std::int64_t count) {
  if (count >= kBytes) {
    vst1q_u8(y, bytes);
    return;
  }
  std::uint8_t all[kBytes];
  vst1q_u8(all, bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = all[i];
  }
}

template <bool kSigned>
int16x8_t widened(uint8x8_t bytes) {
  return kSigned ? vmovl_s8(vreinterpret_s8_u8(bytes)) : vreinterpretq_s16_u16(vmovl_u8(bytes));
}

// One tap of eight windows.
template <int kStride, bool kSigned>
int16x8_t tap(const std::uint8_t* from, std::int64_t stride, std::int64_t count) {
  if constexpr (kStride == 1) {
    return widened<kSigned>(vld1_u8(from));
  } else if constexpr (kStride == 2) {
    return widened<kSigned>(vld2_u8(from).val[0]);
  } else {
    std::uint8_t bytes[kWindows] = {};
    for (std::int64_t i = 0; i < least(count, kWindows); ++i) {
      bytes[i] = from[i * stride];
    }
    return widened<kSigned>(vld1_u8(bytes));
  }
}

struct AverageConstants {
  int16x8_t x_zero;
  float32x4_t x_scale;
  float32x4_t y_scale;
  float32x4_t y_zero;
  float32x4_t low;
  float32x4_t high;
  bool inverse;
};

// sum + f32((x - x_zero_point) * x_scale), each step rounded.
float32x4_t with_tap(float32x4_t sum, int16x4_t difference, const AverageConstants& c) {
  return vaddq_f32(sum, vmulq_f32(vcvtq_f32_s32(vmovl_s16(difference)), c.x_scale));
}

// The low 16 bits of four results.
int16x4_t averaged(float32x4_t sum, const float* taps, const AverageConstants& c) {
  const float32x4_t divisor = vld1q_f32(taps);
  const float32x4_t mean = c.inverse ? vmulq_f32(sum, divisor) : vdivq_f32(sum, divisor);
  const float32x4_t v = vaddq_f32(vdivq_f32(mean, c.y_scale), c.y_zero);
  return vmovn_s32(vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(v, c.low), c.high)));
}

template <int kStride, bool kSigned>
void average(const AverageBandArgs& args) {
  const BandArgs& b = args.band;
  const PoolQuantization& q = args.quantization;
  const AverageConstants c = {vdupq_n_s16(static_cast<std::int16_t>(q.x_zero_point)),
                              vdupq_n_f32(q.x_scale),
                              vdupq_n_f32(q.y_scale),
                              vdupq_n_f32(static_cast<float>(q.y_zero_point)),
                              vdupq_n_f32(kSigned ? -128.0F : 0.0F),
                              vdupq_n_f32(kSigned ? 127.0F : 255.0F),
                              args.inverse};
  for (std::int64_t o = 0; o < b.out_rows; ++o) {
    for (std::int64_t i = 0; i < b.count; i += kWindows) {
      float32x4_t low = vdupq_n_f32(0);
      float32x4_t high = vdupq_n_f32(0);
      for (std::int64_t r = 0; r < b.rows; ++r) {
        const std::uint8_t* from = b.band + o * b.out_step + r * b.row_step + i * b.stride;
        for (std::int64_t column = 0; column < b.columns; ++column) {
          const int16x8_t x = tap<kStride, kSigned>(from + column * b.column_step, b.stride, b.count - i);
          const int16x8_t difference = vsubq_s16(x, c.x_zero);
          low = with_tap(low, vget_low_s16(difference), c);
          high = with_tap(high, vget_high_s16(difference), c);
        }
      }
      const int16x8_t words = vcombine_s16(averaged(low, args.taps + i, c), averaged(high, args.taps + i + 4, c));
      const uint8x8_t bytes = vreinterpret_u8_s8(vmovn_s16(words));
      store_first(b.y + o * b.y_step + i, vcombine_u8(bytes, bytes), least(b.count - i, kWindows));
    }
  }
}

template <bool kSigned>
uint8x16_t larger(uint8x16_t a, uint8x16_t b) {
  return kSigned ? vreinterpretq_u8_s8(vmaxq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b))) : vmaxq_u8(a, b);
}

template <int kStride, bool kSigned>
void maximum(const BandArgs& b) {
  for (std::int64_t i = 0; i < b.count; i += kBytes) {
    uint8x16_t best = vdupq_n_u8(kSigned ? 0x80 : 0);
    for (std::int64_t r = 0; r < b.rows; ++r) {
      const std::uint8_t* from = b.band + r * b.row_step + i * kStride;
      for (std::int64_t c = 0; c < b.columns; ++c) {
        const std::uint8_t* at = from + c * b.column_step;
        best = larger<kSigned>(best, kStride == 1 ? vld1q_u8(at) : vld2q_u8(at).val[0]);
      }
    }
    store_first(b.y + i, best, b.count - i);
  }
}

// Windows further apart. Signed bytes order as unsigned ones once their top bit is flipped.
void maximum_apart(const BandArgs& b, std::uint8_t flip) {
  for (std::int64_t i = 0; i < b.count; ++i) {
    int best = 0;
    for (std::int64_t r = 0; r < b.rows; ++r) {
      for (std::int64_t c = 0; c < b.columns; ++c) {
        const int value = b.band[r * b.row_step + c * b.column_step + i * b.stride] ^ flip;
        best = value > best ? value : best;
      }
    }
    b.y[i] = static_cast<std::uint8_t>(best ^ flip);
  }
}

// The sum of unsigned bytes, those of signed values with their top bit flipped. Wraps.
std::uint32_t sum_of(const std::uint8_t* x, std::int64_t count, std::uint8_t flip) {
  uint32x4_t sums = vdupq_n_u32(0);
  std::int64_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    sums = vpadalq_u16(sums, vpaddlq_u8(veorq_u8(vld1q_u8(x + i), vdupq_n_u8(flip))));
  }
  std::uint32_t total = vaddvq_u32(sums);
  for (; i < count; ++i) {
    total += static_cast<std::uint32_t>(x[i] ^ flip);
  }
  return total;
}

// The sums of 16 neighbouring planes, position by position.
void sums_across(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip, std::uint32_t* out) {
  uint32x4_t sums[4] = {vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0)};
  for (std::int64_t start = 0; start < args.size; start += kFlush) {
    uint16x8_t low = vdupq_n_u16(0);
    uint16x8_t high = vdupq_n_u16(0);
    const std::int64_t end = least(start + kFlush, args.size);
    for (std::int64_t i = start; i < end; ++i) {
      const uint8x16_t bytes = veorq_u8(vld1q_u8(x + i * args.step), vdupq_n_u8(flip));
      low = vaddw_u8(low, vget_low_u8(bytes));
      high = vaddw_high_u8(high, bytes);
    }
    sums[0] = vaddw_u16(sums[0], vget_low_u16(low));
    sums[1] = vaddw_high_u16(sums[1], low);
    sums[2] = vaddw_u16(sums[2], vget_low_u16(high));
    sums[3] = vaddw_high_u16(sums[3], high);
  }
  for (int i = 0; i < 4; ++i) {
    vst1q_u32(out + i * 4, sums[i]);
  }
}

std::uint32_t sum_apart(const std::uint8_t* x, const GlobalAveragePoolArgs& args, std::uint8_t flip) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < args.size; ++i) {
    sum += static_cast<std::uint32_t>(x[i * args.step] ^ flip);
  }
  return sum;
}

// The sums of up to 16 planes.
void block_sums(const GlobalAveragePoolArgs& args, std::int64_t first, std::int64_t planes, std::uint32_t* out) {
  const std::uint8_t flip = args.quantization.is_signed ? 0x80 : 0;
  const auto* x = static_cast<const std::uint8_t*>(args.x) + first * args.plane_stride;
  if (args.plane_stride == 1 && planes == kBytes) {
    return sums_across(x, args, flip, out);
  }
  for (std::int64_t p = 0; p < planes; ++p) {
    const std::uint8_t* plane = x + p * args.plane_stride;
    out[p] = args.step == 1 ? sum_of(plane, args.size, flip) : sum_apart(plane, args, flip);
  }
}

template <bool kSigned>
void global_average(const GlobalAveragePoolArgs& args) {
  const PoolQuantization& q = args.quantization;
  // Wraps as the sum of differences does.
  const std::uint32_t zeros =
      static_cast<std::uint32_t>(args.size) * static_cast<std::uint32_t>(q.x_zero_point + (kSigned ? 128 : 0));
  const float32x4_t scale = vdupq_n_f32(q.x_scale / (q.y_scale * static_cast<float>(args.size)));
  const float32x4_t low = vdupq_n_f32(static_cast<float>((kSigned ? INT8_MIN : 0) - q.y_zero_point));
  const float32x4_t high = vdupq_n_f32(static_cast<float>((kSigned ? INT8_MAX : UINT8_MAX) - q.y_zero_point));
  const uint8x16_t y_zero = vdupq_n_u8(static_cast<std::uint8_t>(q.y_zero_point));
  auto* y = static_cast<std::uint8_t*>(args.y);
  for (std::int64_t first = 0; first < args.planes; first += kBytes) {
    const std::int64_t planes = least(kBytes, args.planes - first);
    std::uint32_t sums[kBytes] = {};
    block_sums(args, first, planes, sums);
    int16x4_t words[4];
    for (int i = 0; i < 4; ++i) {
      const int32x4_t sum = vreinterpretq_s32_u32(vsubq_u32(vld1q_u32(sums + 4 * i), vdupq_n_u32(zeros)));
      const float32x4_t v = vmulq_f32(vcvtq_f32_s32(sum), scale);
      words[i] = vmovn_s32(vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(v, low), high)));
    }
    const int8x8_t left = vmovn_s16(vcombine_s16(words[0], words[1]));
    const int8x8_t right = vmovn_s16(vcombine_s16(words[2], words[3]));
    store_first(y + first, vaddq_u8(vreinterpretq_u8_s8(vcombine_s8(left, right)), y_zero), planes);
  }
}

template <bool kSigned>
void average_any(const AverageBandArgs& args) {
  switch (args.band.stride) {
    case 1:
      return average<1, kSigned>(args);
    case 2:
      return average<2, kSigned>(args);
    default:
      return average<0, kSigned>(args);
  }
}

void max_row(const BandArgs& row, bool is_signed) {
  switch (row.stride) {
    case 1:
      return is_signed ? maximum<1, true>(row) : maximum<1, false>(row);
    case 2:
      return is_signed ? maximum<2, true>(row) : maximum<2, false>(row);
    default:
      return maximum_apart(row, is_signed ? 0x80 : 0);
  }
}

}  // namespace

void average_band_neon(const AverageBandArgs& args) {
  args.quantization.is_signed ? average_any<true>(args) : average_any<false>(args);
}

void max_band_neon(const MaxBandArgs& args) {
  BandArgs row = args.band;
  for (std::int64_t o = 0; o < args.band.out_rows; ++o) {
    max_row(row, args.is_signed);
    row.band += row.out_step;
    row.y += row.y_step;
  }
}

void qlinear_global_average_pool_neon(const GlobalAveragePoolArgs& args) {
  args.quantization.is_signed ? global_average<true>(args) : global_average<false>(args);
}

}  // namespace assay::kernels
