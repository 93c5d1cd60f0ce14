// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/conv_shape.h"

#include <algorithm>
#include <string>

#include "engine/kernels/transpose/transpose_bytes.h"

namespace assay::runtime {
namespace {

// Patches (contraction bytes) and accumulators (4 bytes a column) of one task.
constexpr Index kTaskBytes = Index{1} << 18;

Index block_rows(const ConvShape& shape, Index columns) {
  const Index row_bytes = shape.window.w.output * (shape.contraction() + 4 * columns);
  return std::clamp(kTaskBytes / std::max(row_bytes, Index{1}), Index{1}, std::max(shape.window.h.output, Index{1}));
}

}  // namespace

bool ConvShape::pointwise() const {
  const auto plain = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.input == axis.output && axis.stride == 1;
  };
  return plain(window.h) && plain(window.w) && window.h.pad_begin == 0 && window.w.pad_begin == 0;
}

Result<ConvShape> resolve_conv_shape(const WindowSpec& spec, Index group, const Shape& x, const Shape& w) {
  const std::string found = "; found x " + shape_text(x) + ", w " + shape_text(w) + ", group " + std::to_string(group);
  if (w.size() < 3) {
    return invalid_argument("w has the shape [M, C/group, kernel...]" + found);
  }
  ASSAY_ASSIGN(const Window window, resolve_window(spec, x, std::vector<Index>(w.begin() + 2, w.end())));
  if (group < 1 || w[0] % group != 0) {
    return invalid_argument("group is at least 1 and divides the outputs M of w" + found);
  }
  if (w[1] * group != x[1]) {
    return invalid_argument("w has C/group input channels" + found);
  }
  return ConvShape{
      .batch = x[0], .group = group, .group_channels = w[1], .group_outputs = w[0] / group, .window = window};
}

ConvTasks::ConvTasks(const ConvShape& shape, Index columns)
    : batch_(shape.batch),
      rows_(shape.window.h.output),
      block_(block_rows(shape, columns)),
      blocks_((rows_ + block_ - 1) / block_) {}

OutputRows ConvTasks::at(Index task) const {
  const Index first = task % blocks_ * block_;
  return {.sample = task / blocks_, .first = first, .count = std::min(block_, rows_ - first)};
}

void write_patches(const ConvShape& shape, const PatchSource& source, const OutputRows& rows, std::uint8_t* patches) {
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  if (shape.pointwise()) {
    kernels::transpose_bytes({.from = source.image + rows.first * w.input,
                              .rows = shape.group_channels,
                              .columns = rows.count * w.output,
                              .from_stride = shape.image_size(),
                              .to = patches,
                              .to_stride = shape.group_channels});
    return;
  }
  kernels::im2col({.image = source.image,
                   .channels = shape.group_channels,
                   .height = h.input,
                   .width = w.input,
                   .kernel_h = h.kernel,
                   .kernel_w = w.kernel,
                   .stride_h = h.stride,
                   .stride_w = w.stride,
                   .dilation_h = h.dilation,
                   .dilation_w = w.dilation,
                   .pad_top = h.pad_begin - rows.first * h.stride,  // negative: the block starts inside the image
                   .pad_left = w.pad_begin,
                   .out_h = rows.count,
                   .out_w = w.output,
                   .pad_value = source.pad_value,
                   .order = source.order,
                   .rows = patches,
                   .row_stride_bytes = shape.contraction()});
}

kernels::DepthwiseArgs depthwise_geometry(const ConvShape& shape) {
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  return {.height = h.input,
          .width = w.input,
          .kernel_h = h.kernel,
          .kernel_w = w.kernel,
          .stride_h = h.stride,
          .stride_w = w.stride,
          .dilation_h = h.dilation,
          .dilation_w = w.dilation,
          .pad_top = h.pad_begin,
          .pad_left = w.pad_begin,
          .out_h = h.output,
          .out_w = w.output};
}

}  // namespace assay::runtime
