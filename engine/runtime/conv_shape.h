// SPDX-License-Identifier: Apache-2.0
// The sizes of one quantized convolution: x [N, C, (H,) W], w [M, C/group, (kernel h,) kernel w], y [N, M, ...].
#pragma once

#include <cstdint>

#include "engine/kernels/depthwise/depthwise.h"
#include "engine/kernels/im2col/im2col.h"
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
  // Every output channel reads one input channel of its own.
  bool depthwise() const { return group > 1 && group_channels == 1 && group_outputs == 1; }
  // One tap, no padding, every position: the patches are the image itself.
  bool pointwise() const;
};

// Errors name x and w with their shapes.
Result<ConvShape> resolve_conv_shape(const WindowSpec& spec, Index group, const Shape& x, const Shape& w);

// Output rows [first, first + count) of one sample: the unit of work.
struct OutputRows {
  Index sample = 0;
  Index first = 0;
  Index count = 0;
};
// Splits samples into blocks of output rows whose patches and accumulators stay in cache.
class ConvTasks {
 public:
  ConvTasks(const ConvShape& shape, Index columns);
  Index count() const { return batch_ * blocks_; }
  OutputRows at(Index task) const;
  Index rows_per_task() const { return block_; }

 private:
  Index batch_;
  Index rows_;
  Index block_;
  Index blocks_;
};

struct PatchSource {
  const std::uint8_t* image = nullptr;  // [group_channels, H, W] of one sample and group
  std::uint8_t pad_value = 0;
  kernels::PatchOrder order = kernels::PatchOrder::kKernelThenChannel;
};
// The patches of some output rows: [count * out_w, contraction()], tightly packed.
void write_patches(const ConvShape& shape, const PatchSource& source, const OutputRows& rows, std::uint8_t* patches);

// Geometry of the depthwise kernel; the operands are the caller's to fill in.
kernels::DepthwiseArgs depthwise_geometry(const ConvShape& shape);

}  // namespace assay::runtime
