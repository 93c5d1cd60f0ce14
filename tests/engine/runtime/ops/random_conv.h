// SPDX-License-Identifier: Apache-2.0
// Random convolutions: geometry and raw operands, as the node's attributes and tensors and as the oracle's arguments.
#pragma once

#include <algorithm>
#include <functional>

#include "engine/ir/graph.h"
#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/support/oracle/convolution.h"

namespace assay::test {

struct RandomConv {
  oracle::ConvArgs args;
  bool one_dimension = false;
  bool x_signed = false;
  bool w_signed = true;
  bool w_per_channel = false;  // zero points of the weights
  Tensor x;
  Tensor w;

  bool one_w_zero_point() const {
    return std::ranges::adjacent_find(args.w_zero_points, std::not_equal_to<>()) == args.w_zero_points.end();
  }
  Index outputs() const { return args.geometry.outputs; }
  Tensor w_zero_points() const {
    const Shape shape = w_per_channel ? Shape{outputs()} : Shape{};
    return byte_tensor(shape, args.w_zero_points, w_signed);
  }
  AttributeMap attributes() const {
    const oracle::ConvGeometry& g = args.geometry;
    AttributeMap out;
    out["group"] = g.group;
    if (one_dimension) {
      out["strides"] = std::vector<Index>{g.stride_w};
      out["dilations"] = std::vector<Index>{g.dilation_w};
      out["pads"] = std::vector<Index>{g.pad_left, g.pad_right};
    } else {
      out["strides"] = std::vector<Index>{g.stride_h, g.stride_w};
      out["dilations"] = std::vector<Index>{g.dilation_h, g.dilation_w};
      out["pads"] = std::vector<Index>{g.pad_top, g.pad_left, g.pad_bottom, g.pad_right};
    }
    return out;
  }
  Shape output_shape() const {
    const oracle::ConvGeometry& g = args.geometry;
    return one_dimension ? Shape{g.batch, g.outputs, g.out_w()} : Shape{g.batch, g.outputs, g.out_h(), g.out_w()};
  }
};

inline oracle::ConvGeometry random_geometry(Random& random, bool one_dimension) {
  oracle::ConvGeometry g;
  g.batch = random.integer(1, 3);
  const bool depthwise = random.chance(0.3);
  const bool pointwise = random.chance(0.3);
  g.group = depthwise ? random.integer(1, 9) : random.integer(1, 2);
  g.channels = g.group * (depthwise ? 1 : random.integer(1, 9));
  g.outputs = g.group * (depthwise && random.chance(0.7) ? 1 : random.integer(1, 19));
  g.kernel_w = pointwise ? 1 : random.integer(1, 4);
  g.stride_w = random.integer(1, pointwise ? 1 : 3);
  g.dilation_w = random.integer(1, 2);
  g.pad_left = pointwise ? 0 : random.integer(0, 2);
  g.pad_right = pointwise ? 0 : random.integer(0, 2);
  g.width = (g.kernel_w - 1) * g.dilation_w + random.integer(1, 18);
  if (!one_dimension) {
    g.kernel_h = pointwise ? 1 : random.integer(1, 4);
    g.stride_h = random.integer(1, pointwise ? 1 : 3);
    g.dilation_h = random.integer(1, 2);
    g.pad_top = pointwise ? 0 : random.integer(0, 2);
    g.pad_bottom = pointwise ? 0 : random.integer(0, 2);
    g.height = (g.kernel_h - 1) * g.dilation_h + random.integer(1, 12);
  }
  return g;
}

inline RandomConv random_conv(Random& random) {
  RandomConv out;
  out.one_dimension = random.chance(0.2);
  out.x_signed = random.chance(0.4);
  out.w_signed = random.chance(0.6);
  out.args.geometry = random_geometry(random, out.one_dimension);
  const oracle::ConvGeometry& g = out.args.geometry;
  const Shape w_shape = {g.outputs, g.channels / g.group, g.kernel_h, g.kernel_w};
  const Shape x_shape = {g.batch, g.channels, g.height, g.width};
  out.args.x = random_bytes(random, element_count(x_shape).value(), out.x_signed);
  out.args.w = random_bytes(random, element_count(w_shape).value(), out.w_signed);
  out.args.x_zero_point = random_bytes(random, 1, out.x_signed)[0];
  out.w_per_channel = random.chance(0.5);
  out.args.w_zero_points = random_bytes(random, out.w_per_channel ? g.outputs : 1, out.w_signed);
  if (random.chance(0.3)) {
    std::fill(out.args.w_zero_points.begin(), out.args.w_zero_points.end(), 0);
  }
  out.x = byte_tensor(out.one_dimension ? Shape{g.batch, g.channels, g.width} : x_shape, out.args.x, out.x_signed);
  out.w = byte_tensor(out.one_dimension ? Shape{g.outputs, w_shape[1], g.kernel_w} : w_shape, out.args.w, out.w_signed);
  return out;
}

}  // namespace assay::test
