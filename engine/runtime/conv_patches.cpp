// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_patches.h"

#include <algorithm>

#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

// Patches, or what a row of positions adds to the image rows that are read in place, and accumulators (4 bytes a
// column) of one task.
constexpr Index kTaskBytes = Index{56} << 10;
constexpr Index kPointwiseUnit = 48;  // positions: a multiple of every kernel's row tile but the largest

Index divide_up(Index value, Index unit) { return (value + unit - 1) / unit; }

kernels::Im2colArgs patch_args(const ConvShape& shape, const PatchSource& source, const OutputBlock& block,
                               std::uint8_t* patches) {
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  return {.image = source.image,
          .channels = shape.group_channels,
          .height = h.input,
          .width = w.input,
          .kernel_h = h.kernel,
          .kernel_w = w.kernel,
          .stride_h = h.stride,
          .stride_w = w.stride,
          .dilation_h = h.dilation,
          .dilation_w = w.dilation,
          .pad_top = h.pad_begin - block.first_row * h.stride,
          .pad_left = w.pad_begin,
          .out_h = block.rows,
          .out_w = w.output,
          .pad_value = source.pad_value,
          .rows = patches,
          .row_stride_bytes = shape.contraction()};
}

}  // namespace

ConvTasks::ConvTasks(const ConvShape& shape, Index columns, int threads, LeftOperand left) : batch_(shape.batch) {
  const bool pointwise = shape.pointwise();
  rows_ = pointwise ? shape.positions() : shape.window.h.output;
  width_ = pointwise ? 1 : shape.window.w.output;
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  const Index read = left == LeftOperand::kImage ? h.stride * w.stride * shape.group_channels : shape.contraction();
  const Index row_bytes = std::max(width_ * (read + 4 * columns), Index{1});
  const Index cached = std::max(kTaskBytes / row_bytes, Index{1});
  // Few samples and groups: a share for every thread.
  const Index shares = std::max(divide_up(threads, std::max(batch_ * shape.group, Index{1})), Index{1});
  const Index wanted = std::max(std::min(cached, divide_up(rows_, shares)), Index{1});
  const Index unit = pointwise ? kPointwiseUnit : 1;
  // Blocks of about equal size.
  const Index blocks = std::max(divide_up(rows_, divide_up(wanted, unit) * unit), Index{1});
  block_ = std::max(divide_up(divide_up(rows_, blocks), unit) * unit, Index{1});
  blocks_ = divide_up(rows_, block_);
}

OutputBlock ConvTasks::at(Index task) const {
  const Index first = task % blocks_ * block_;
  const Index rows = std::min(block_, rows_ - first);
  return {.sample = task / blocks_,
          .first_row = first,
          .rows = rows,
          .first_position = first * width_,
          .positions = rows * width_};
}

void write_patches_channel_last(const ConvShape& shape, const PatchSource& source, const OutputBlock& block,
                                std::uint8_t* patches) {
  kernels::im2col_channel_last(source.kernel, patch_args(shape, source, block, patches));
}

void write_patches_channel_first(const ConvShape& shape, const PatchSource& source, const OutputBlock& block,
                                 std::uint8_t* patches) {
  kernels::im2col_channel_first(source.kernel, patch_args(shape, source, block, patches));
}

}  // namespace assay::runtime
