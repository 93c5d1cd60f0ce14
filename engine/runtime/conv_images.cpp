// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_images.h"

#include <algorithm>

#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

constexpr Index kImagesBytes = Index{1} << 20;     // of channel-last images at once, if there is more than one
constexpr Index kTransposeBytes = Index{1} << 14;  // of one task

Index divide_up(Index value, Index unit) { return (value + unit - 1) / unit; }

bool has_border(const ConvShape& shape, const ImageFrame& frame) {
  return frame.height != shape.window.h.input || frame.width != shape.window.w.input;
}

// Image rows of one task.
Index rows_of_task(const ConvShape& shape) {
  const Index row_bytes = std::max(shape.window.w.input * shape.group_channels, Index{1});
  return std::clamp(divide_up(kTransposeBytes, row_bytes), Index{1}, std::max(shape.window.h.input, Index{1}));
}

}  // namespace

ImageFrame bare_frame(const ConvShape& shape) {
  return {.height = shape.window.h.input, .width = shape.window.w.input};
}

ImageFrame frame_of_taps(const ConvShape& shape) {
  const auto length = [](const WindowAxis& axis) {
    return std::max(axis.pad_begin + axis.input, (axis.output - 1) * axis.stride + axis.span());
  };
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  return {.top = h.pad_begin, .left = w.pad_begin, .height = length(h), .width = length(w)};
}

bool can_read_in_place(const ConvShape& shape) {
  const WindowAxis& w = shape.window.w;
  return (w.dilation == 1 || w.kernel == 1) && w.kernel * shape.group_channels % 4 == 0;
}

ProductRows rows_in_place(const ConvShape& shape, const std::uint8_t* image, const OutputBlock& block) {
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  const Index row_bytes = frame_of_taps(shape).width * shape.group_channels;
  return {.a = reinterpret_cast<const std::byte*>(image) + block.first_row * h.stride * row_bytes,
          .count = block.positions,
          .stride_bytes = w.stride * shape.group_channels,
          .lines = {.rows = w.output,
                    .stride_bytes = h.stride * row_bytes,
                    .segments = h.kernel,
                    .segment_stride_bytes = h.dilation * row_bytes}};
}

Status ChannelLastImages::reserve(const ConvShape& shape, const ImageFrame& frame, int threads) {
  frame_ = frame;
  groups_ = shape.group;
  image_bytes_ = shape.group_channels * frame.height * frame.width;
  const Index sample_bytes = std::max(groups_ * image_bytes_, Index{1});
  most_samples_ = std::clamp(kImagesBytes / sample_bytes, Index{1}, std::max(shape.batch, Index{1}));
  if (shape.group_channels == 1 && !has_border(shape, frame)) {
    return {};
  }
  pixels_.resize(static_cast<std::size_t>(threads));
  for (ScratchBuffer& pixels : pixels_) {
    ASSAY_TRY(pixels.reserve(rows_of_task(shape) * shape.window.w.input * shape.group_channels));
  }
  return buffer_.reserve(most_samples_ * sample_bytes);
}

void ChannelLastImages::fill_rows(const ConvShape& shape, const ImageSource& source, const std::uint8_t* from,
                                  std::uint8_t* image, Index first, Index count, std::uint8_t* pixels) const {
  const Index channels = shape.group_channels;
  const Index height = shape.window.h.input;
  const Index width = shape.window.w.input;
  const bool bordered = has_border(shape, frame_);
  source.transpose.run({.from = from + first * width,
                        .rows = channels,
                        .columns = count * width,
                        .from_stride = height * width,
                        .to = bordered ? pixels : image + first * width * channels,
                        .to_stride = channels});
  if (!bordered) {
    return;
  }
  const Index row_bytes = frame_.width * channels;
  const Index before = frame_.left * channels;
  const Index inside = width * channels;
  std::uint8_t* row = image + (frame_.top + first) * row_bytes;
  for (Index y = 0; y < count; ++y) {
    std::fill_n(row, before, source.pad_value);
    std::copy_n(pixels + y * inside, inside, row + before);
    std::fill_n(row + before + inside, row_bytes - before - inside, source.pad_value);
    row += row_bytes;
  }
  if (first == 0) {
    std::fill_n(image, frame_.top * row_bytes, source.pad_value);
  }
  if (first + count == height) {
    std::fill(row, image + frame_.height * row_bytes, source.pad_value);
  }
}

void ChannelLastImages::fill(const ConvShape& shape, const ImageSource& source, Index first, Index count, int threads) {
  const Index channels = shape.group_channels;
  const Index plane = shape.image_size();
  const auto* from = reinterpret_cast<const std::uint8_t*>(source.x) + first * groups_ * channels * plane;
  first_sample_ = first;
  if (channels == 1 && !has_border(shape, frame_)) {
    images_ = from;
    return;
  }
  auto* to = buffer_.as<std::uint8_t>();
  images_ = to;
  const Index height = shape.window.h.input;
  const Index rows = rows_of_task(shape);
  const Index tasks = divide_up(height, rows);
  for_each_task(count * groups_ * tasks, threads, [&](Index task, int slot) {
    const Index image = task / tasks;
    const Index row = task % tasks * rows;
    fill_rows(shape, source, from + image * channels * plane, to + image * image_bytes_, row,
              std::min(rows, height - row), pixels_[static_cast<std::size_t>(slot)].as<std::uint8_t>());
  });
}

const std::uint8_t* ChannelLastImages::image(Index sample, Index group) const {
  return images_ + ((sample - first_sample_) * groups_ + group) * image_bytes_;
}

}  // namespace assay::runtime
