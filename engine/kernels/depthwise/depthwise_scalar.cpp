// SPDX-License-Identifier: Apache-2.0
// Portable: one output row at a time, one kernel tap after the other over that row, x - x_zero_point in int16.
#include <algorithm>

#include "engine/base/dtype.h"
#include "engine/kernels/depthwise/depthwise_args.h"
#include "engine/kernels/requantize/requantize_args.h"

namespace assay::kernels {

void requantize_scalar(const RequantizeArgs& args);

namespace {

constexpr Index kBlock = 512;  // outputs per block of a row

Index floor_divide(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

template <typename W>
std::int32_t weight(const DepthwiseArgs& args, Index ky, Index kx) {
  return static_cast<const W*>(args.w)[ky * args.kernel_w + kx] - args.w_zero_point;
}

std::int32_t weight(const DepthwiseArgs& args, Index ky, Index kx) {
  return args.w_signed ? weight<std::int8_t>(args, ky, kx) : weight<std::uint8_t>(args, ky, kx);
}

// acc[t] += (x[t * stride] - zero_point) * w for t in [0, count).
template <typename X>
void add_tap(const X* x, Index stride, std::int16_t zero_point, std::int16_t w, Index count, std::uint32_t* acc) {
  if (stride == 1) {
    for (Index t = 0; t < count; ++t) {
      const auto value = static_cast<std::int16_t>(x[t] - zero_point);
      acc[t] += static_cast<std::uint32_t>(value * w);
    }
    return;
  }
  for (Index t = 0; t < count; ++t) {
    acc[t] += static_cast<std::uint32_t>((x[t * stride] - zero_point) * w);
  }
}

// Outputs [at, at + count), count being at most kBlock.
void store(const DepthwiseArgs& args, const std::int32_t* acc, Index count, Index at) {
  if (args.acc != nullptr) {
    std::copy_n(acc, count, args.acc + at);
    return;
  }
  static constexpr std::int32_t kNoOffset[kBlock] = {};
  float scale[kBlock];
  std::fill_n(scale, count, args.scale);
  requantize_scalar({.rows = 1,
                     .columns = count,
                     .acc = acc,
                     .acc_stride = count,
                     .column_offset = kNoOffset,
                     .scale = scale,
                     .y_zero_point = args.y_zero_point,
                     .clamp_min = args.clamp_min,
                     .clamp_max = args.clamp_max,
                     .y = args.y + at,
                     .y_row_stride_bytes = count});
}

template <typename X>
void run(const DepthwiseArgs& args) {
  std::uint32_t acc[kBlock];
  for (Index oy = 0; oy < args.out_h; ++oy) {
    for (Index ox0 = 0; ox0 < args.out_w; ox0 += kBlock) {
      const Index count = std::min(kBlock, args.out_w - ox0);
      std::fill_n(acc, count, static_cast<std::uint32_t>(args.bias));
      for (Index ky = 0; ky < args.kernel_h; ++ky) {
        const Index iy = oy * args.stride_h - args.pad_top + ky * args.dilation_h;
        if (iy < 0 || iy >= args.height) {
          continue;
        }
        const X* row = static_cast<const X*>(args.x) + iy * args.width;
        for (Index kx = 0; kx < args.kernel_w; ++kx) {
          // Column of output t of the block: first + t * stride_w; only those inside the image add something.
          const Index first = ox0 * args.stride_w - args.pad_left + kx * args.dilation_w;
          const Index begin = first >= 0 ? 0 : -floor_divide(first, args.stride_w);
          const Index end = std::min(count, floor_divide(args.width - 1 - first, args.stride_w) + 1);
          if (begin < end) {
            add_tap(row + first + begin * args.stride_w, args.stride_w, static_cast<std::int16_t>(args.x_zero_point),
                    static_cast<std::int16_t>(weight(args, ky, kx)), end - begin, acc + begin);
          }
        }
      }
      store(args, reinterpret_cast<const std::int32_t*>(acc), count, oy * args.out_w + ox0);
    }
  }
}

}  // namespace

void depthwise_scalar(const DepthwiseArgs& args) {
  if (args.x_signed) {
    run<std::int8_t>(args);
  } else {
    run<std::uint8_t>(args);
  }
}

}  // namespace assay::kernels
