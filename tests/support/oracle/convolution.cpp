// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle/convolution.h"

namespace assay::oracle {
namespace {

struct Output {
  Index n = 0;
  Index m = 0;
  Index oy = 0;
  Index ox = 0;
};

struct Operands {
  Integers x;
  Integers w;
};

template <typename T>
T one_of(const std::vector<T>& values, Index i, T otherwise) {
  if (values.empty()) {
    return otherwise;
  }
  return values.size() == 1 ? values[0] : values[static_cast<std::size_t>(i)];
}

void add_tap(const ConvArgs& args, const Output& at, Index c, Index ky, Index kx, Operands& out) {
  const ConvGeometry& g = args.geometry;
  const Index group_channels = g.channels / g.group;
  const Index channel = at.m / (g.outputs / g.group) * group_channels + c;
  const Index iy = at.oy * g.stride_h - g.pad_top + ky * g.dilation_h;
  const Index ix = at.ox * g.stride_w - g.pad_left + kx * g.dilation_w;
  const bool inside = iy >= 0 && iy < g.height && ix >= 0 && ix < g.width;
  const Index x_at = ((at.n * g.channels + channel) * g.height + iy) * g.width + ix;
  const Index w_at = ((at.m * group_channels + c) * g.kernel_h + ky) * g.kernel_w + kx;
  out.x.push_back(inside ? args.x[static_cast<std::size_t>(x_at)] : args.x_zero_point);
  out.w.push_back(args.w[static_cast<std::size_t>(w_at)]);
}

Operands list_taps(const ConvArgs& args, const Output& at) {
  const ConvGeometry& g = args.geometry;
  const Index channels = g.channels / g.group;
  Operands out;
  if (args.order == FlatOrder::kKernelThenChannel) {
    for (Index ky = 0; ky < g.kernel_h; ++ky) {
      for (Index kx = 0; kx < g.kernel_w; ++kx) {
        for (Index c = 0; c < channels; ++c) {
          add_tap(args, at, c, ky, kx, out);
        }
      }
    }
  } else {
    for (Index c = 0; c < channels; ++c) {
      for (Index ky = 0; ky < g.kernel_h; ++ky) {
        for (Index kx = 0; kx < g.kernel_w; ++kx) {
          add_tap(args, at, c, ky, kx, out);
        }
      }
    }
  }
  return out;
}

std::int32_t output_sum(const ConvArgs& args, const Output& at) {
  const Operands taps = list_taps(args, at);
  const std::int64_t w_zero_point = one_of(args.w_zero_points, at.m, 0);
  std::int64_t sum = dot(taps.x, taps.w, args.arithmetic);
  for (std::size_t i = 0; i < taps.x.size(); ++i) {
    sum += (taps.x[i] - std::int64_t{args.x_zero_point}) * (taps.w[i] - w_zero_point) -
           std::int64_t{taps.x[i]} * taps.w[i];
  }
  return wrap_to_int32(sum + one_of(args.bias, at.m, 0));
}

}  // namespace

Integers convolve(const ConvArgs& args) {
  const ConvGeometry& g = args.geometry;
  Integers out;
  for (Index n = 0; n < g.batch; ++n) {
    for (Index m = 0; m < g.outputs; ++m) {
      for (Index oy = 0; oy < g.out_h(); ++oy) {
        for (Index ox = 0; ox < g.out_w(); ++ox) {
          out.push_back(output_sum(args, {n, m, oy, ox}));
        }
      }
    }
  }
  return out;
}

Integers qlinear_conv(const ConvArgs& args, const ConvScales& scales, const OutputType& y) {
  Integers out = convolve(args);
  const Index positions = args.geometry.out_h() * args.geometry.out_w();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index m = static_cast<Index>(i) / positions % args.geometry.outputs;
    out[i] = requantize(out[i], output_scale(scales.x, one_of(scales.w, m, 1.0F), scales.y), y);
  }
  return out;
}

}  // namespace assay::oracle
