// SPDX-License-Identifier: Apache-2.0
// The arguments of poolings; pool.h has the contract. Plain structs and no other header of the project, because files
// compiled for one ISA include this one and must not emit code that other files share.
#pragma once

#include <cstdint>

namespace assay::kernels {

struct PoolQuantization {
  bool is_signed = false;
  float x_scale = 1;
  std::int32_t x_zero_point = 0;
  float y_scale = 1;
  std::int32_t y_zero_point = 0;
};

struct GlobalAveragePoolArgs {
  const void* x = nullptr;  // plane p: size elements, step bytes apart, from x + p * plane_stride
  void* y = nullptr;        // [planes]
  std::int64_t planes = 1;
  std::int64_t size = 1;          // height * width
  std::int64_t plane_stride = 1;  // bytes: size for channel-first images, 1 for channel-last ones
  std::int64_t step = 1;          // bytes: 1, or the number of channels
  PoolQuantization quantization = {};
};

// Neighbouring windows of neighbouring output rows. Tap (r, c) of window (o, i) is
// band[o * out_step + r * row_step + c * column_step + i * stride], its result y[o * y_step + i]; padding is in the
// band. Kernels may read kBandSlack bytes behind the last tap of the last window.
inline constexpr std::int64_t kBandSlack = 64;
struct BandArgs {
  const std::uint8_t* band = nullptr;
  std::int64_t row_step = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t column_step = 1;
  std::int64_t stride = 1;
  std::int64_t count = 0;  // windows of an output row
  std::int64_t out_rows = 1;
  std::int64_t out_step = 0;
  std::uint8_t* y = nullptr;
  std::int64_t y_step = 0;
};

struct AverageBandArgs {
  BandArgs band = {};
  const float* taps =
      nullptr;           // [count], what each window's sum is divided by, in every row; kTapSlack more may be read
  bool inverse = false;  // taps holds 1 / taps instead, exactly: powers of two
  PoolQuantization quantization = {};
  // A short cut that kernels may take. v = f32(f32(integer sum of x - x_zero_point) * factors[i]) + y_zero_point rounds
  // to the same integer as the contract's float sums do wherever it is nearer than `certain` to an integer. Not above
  // 0: nowhere. Above 0, sums of the bytes of a window fit into 16 bits.
  const float* factors = nullptr;  // [count], x_scale / (y_scale * taps); kTapSlack more, 0, may be read
  float certain = 0;
};
inline constexpr std::int64_t kTapSlack = 32;

struct MaxBandArgs {
  BandArgs band = {};
  bool is_signed = false;
};

}  // namespace assay::kernels
