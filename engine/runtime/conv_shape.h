// SPDX-License-Identifier: Apache-2.0
// The sizes of one quantized convolution: x [N, C, (H,) W], w [M, C/group, (kernel h,) kernel w], y [N, M, ...].
#pragma once

#include <cstdint>

#include "engine/runtime/window.h"

namespace assay::runtime {

struct ConvShape {
  Index batch = 0;
  Index group = 1;
  Index group_channels = 0;  // C / group
  Index group_outputs = 0;   // M / group
  Window window;

  Index channels() const { return group * group_channels; }
  Index outputs() const { return group * group_outputs; }
  Index taps() const { return window.h.kernel * window.w.kernel; }
  Index contraction() const { return taps() * group_channels; }
  Index image_size() const { return window.h.input * window.w.input; }   // of one channel
  Index positions() const { return window.h.output * window.w.output; }  // of one channel of y
  Shape output_shape() const { return window.output_shape({batch, outputs()}); }
  Index multiply_accumulates() const { return batch * outputs() * positions() * contraction(); }
  // Every output channel reads one input channel of its own; one channel alone counts too.
  bool depthwise() const { return group_channels == 1 && group_outputs == 1; }
  // One tap, no padding, every position: the patches are the image itself.
  bool pointwise() const;
};

// Errors name x and w with their shapes.
Result<ConvShape> resolve_conv_shape(const WindowSpec& spec, Index group, const Shape& x, const Shape& w);

}  // namespace assay::runtime
