// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_patches.h"

#include <algorithm>

#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

// Patches (contraction bytes) and accumulators (4 bytes a column) of one task.
constexpr Index kTaskBytes = Index{1} << 17;
constexpr Index kPointwiseUnit = 48;               // positions: a multiple of every kernel's row tile but the largest
constexpr Index kImagesBytes = Index{1} << 20;     // of channel-last images at once, if there is more than one
constexpr Index kTransposeBytes = Index{1} << 15;  // of one task
constexpr Index kTransposePixels = 64;             // a multiple of every transposition's tile

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

ConvTasks::ConvTasks(const ConvShape& shape, Index columns, int threads) : batch_(shape.batch) {
  const bool pointwise = shape.pointwise();
  rows_ = pointwise ? shape.positions() : shape.window.h.output;
  width_ = pointwise ? 1 : shape.window.w.output;
  const Index row_bytes = std::max(width_ * (shape.contraction() + 4 * columns), Index{1});
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

Status ChannelLastImages::reserve(const ConvShape& shape) {
  groups_ = shape.group;
  image_bytes_ = shape.group_channels * shape.image_size();
  const Index sample_bytes = std::max(groups_ * image_bytes_, Index{1});
  most_samples_ = std::clamp(kImagesBytes / sample_bytes, Index{1}, std::max(shape.batch, Index{1}));
  return shape.group_channels == 1 ? Status{} : buffer_.reserve(most_samples_ * sample_bytes);
}

void ChannelLastImages::fill(const ConvShape& shape, const kernels::TransposeKernel& transpose, const std::byte* x,
                             Index first, Index count, int threads) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(x) + first * groups_ * image_bytes_;
  first_sample_ = first;
  if (shape.group_channels == 1) {
    images_ = from;
    return;
  }
  auto* to = buffer_.as<std::uint8_t>();
  images_ = to;
  const Index channels = shape.group_channels;
  const Index pixels = shape.image_size();
  const Index wanted = divide_up(kTransposeBytes, std::max(channels, Index{1}));
  const Index block = divide_up(wanted, kTransposePixels) * kTransposePixels;
  const Index blocks = divide_up(pixels, block);
  for_each_task(count * groups_ * blocks, threads, [&](Index task, int) {
    const Index image = task / blocks * image_bytes_;
    const Index pixel = task % blocks * block;
    transpose.run({.from = from + image + pixel,
                   .rows = channels,
                   .columns = std::min(block, pixels - pixel),
                   .from_stride = pixels,
                   .to = to + image + pixel * channels,
                   .to_stride = channels});
  });
}

const std::uint8_t* ChannelLastImages::image(Index sample, Index group) const {
  return images_ + ((sample - first_sample_) * groups_ + group) * image_bytes_;
}

}  // namespace assay::runtime
