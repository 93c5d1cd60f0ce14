// SPDX-License-Identifier: Apache-2.0
// The geometry of sliding windows, shared by convolutions and poolings over one or two spatial dimensions.
//
// Per dimension: span = (kernel - 1) * dilation + 1, the input elements that one window covers;
//   auto_pad NOTSET      output = (input + pad_begin + pad_end - span) / stride + 1, rounded down, or up with
//   ceil_mode;
//                        with ceil_mode a last window that would start beyond input + pad_begin is left out
//   auto_pad VALID       the same with pads of 0
//   auto_pad SAME_UPPER  output = ceil(input / stride), pads as needed, the odd one at the end
//   auto_pad SAME_LOWER  likewise, the odd one at the beginning
// Window o covers the inputs o * stride - pad_begin + k * dilation, k in [0, kernel).
#pragma once

#include <array>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::runtime {

enum class AutoPad { kNotSet, kSameUpper, kSameLower, kValid };

// The attributes as the node has them; an empty list means the default (kernel: the weights decide).
struct WindowSpec {
  IndexList kernel;
  IndexList strides;
  IndexList dilations;
  IndexList pads;  // begins, then ends
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
};

// Errors: strides, dilations or kernel below 1, negative pads, anything above 2^31 - 1, lists of different lengths,
// an unknown auto_pad, pads next to an auto_pad that computes them.
Result<WindowSpec> read_window_spec(const Node& node);

struct WindowAxis {
  Index input = 1;
  Index kernel = 1;
  Index stride = 1;
  Index dilation = 1;
  Index pad_begin = 0;
  Index pad_end = 0;  // what NOTSET states or SAME computes; ceil_mode may read beyond it
  Index output = 1;

  Index span() const { return (kernel - 1) * dilation + 1; }
};

// A dimension's first axis is the height; a 1-d window has a height of 1 and its own dimension as width.
struct Window {
  std::size_t rank = 2;  // spatial dimensions of the operand: 1 or 2
  WindowAxis h;
  WindowAxis w;

  // [leading..., out_h, out_w], or without out_h for rank 1.
  Shape output_shape(Shape leading) const;
};

// `x` is [N, C, W] or [N, C, H, W]; `kernel` the spatial dimensions of the weights, or spec.kernel for poolings.
// Errors: kUnsupported for another rank, kInvalidArgument for a kernel_shape that differs from the weights, lists of
// another length than the rank, a window larger than the padded input (with the values).
Result<Window> resolve_window(const WindowSpec& spec, const Shape& x, const IndexList& kernel);

// The taps k in [begin, end) of window `o` that fall on the input, and where the first of them reads.
struct TapRange {
  Index begin = 0;
  Index end = 0;
  Index first_input = 0;
};
TapRange taps_inside(const WindowAxis& axis, Index o);

// The outputs o in [begin, end) whose tap `k` falls on the input, and where the first of them reads; the next reads
// `stride` further on. Empty (begin = end) if there is none.
struct OutputRange {
  Index begin = 0;
  Index end = 0;
  Index first_input = 0;
};
OutputRange outputs_reading(const WindowAxis& axis, Index k);

// read_window_spec for poolings, whose kernel_shape is required.
Result<WindowSpec> read_pool_spec(const Node& node);

// A pool's pads must be smaller than the window's span, so that no window lies wholly in the padding at either end.
Status check_pool_window(const Window& window);

}  // namespace assay::runtime
