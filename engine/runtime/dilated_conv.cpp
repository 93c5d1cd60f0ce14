// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/dilated_conv.h"

#include <algorithm>

#include "engine/base/block_arena.h"
#include "engine/runtime/parallel.h"
#include "engine/runtime/split_conv.h"

namespace assay::runtime {
namespace {

constexpr Index kMostPhases = 64;
constexpr Index kFewestOutputs = 4;  // of a phase, in each direction: below it the border is most of what is read

Index divide_up(Index a, Index b) { return (a + b - 1) / b; }

// The outputs of one phase along an axis, and the inputs they read, the padding among them.
WindowAxis phase_axis(const WindowAxis& axis) {
  const Index outputs = divide_up(axis.output, axis.dilation);
  return {.input = outputs + axis.kernel - 1, .kernel = axis.kernel, .output = outputs};
}

FloatConvShape phase_shape(const FloatConvShape& shape) {
  FloatConvShape phase = shape;
  phase.window.h = phase_axis(shape.window.h);
  phase.window.w = phase_axis(shape.window.w);
  return phase;
}

bool axis_suits(const WindowAxis& axis) {
  return axis.stride == 1 && divide_up(axis.output, axis.dilation) >= std::min(kFewestOutputs, axis.output);
}

Index round_up(Index value, Index unit) {
  return divide_up(value, std::max<Index>(unit, 1)) * std::max<Index>(unit, 1);
}

// `unit` floats of a pixel, or as many zeros where it has no source. A block has a number of them that compilers know.
void copy_pixel(const float* from, Index unit, float* to) {
  constexpr Index kBlock = 8;
  if (unit == kBlock) {
    from == nullptr ? std::fill_n(to, kBlock, 0.0F) : std::copy_n(from, kBlock, to);
  } else {
    from == nullptr ? std::fill_n(to, unit, 0.0F) : std::copy_n(from, unit, to);
  }
}

AlignedBuffer floats(Index count) {
  const OutsideBlockArena outside;
  auto buffer = AlignedBuffer::allocate_uninitialized(static_cast<std::size_t>(count) * sizeof(float));
  return buffer.ok() ? std::move(buffer).value() : throw std::bad_alloc();
}

}  // namespace

bool DilatedConv::suits(const FloatConvShape& shape, const ConvEpilogue& epilogue) {
  const auto& [h, w] = std::pair(shape.window.h, shape.window.w);
  const Index phases = h.dilation * w.dilation;
  return phases > 1 && phases <= kMostPhases && !epilogue.adds && axis_suits(h) && axis_suits(w);
}

DilatedConv::DilatedConv(const FloatConvShape& shape, Index images, bool has_bias, const ConvEpilogue& epilogue,
                         int threads)
    : shape_(shape),
      images_(images),
      threads_(threads),
      phase_rows_(shape.window.h.dilation),
      phase_columns_(shape.window.w.dilation),
      phase_shape_(phase_shape(shape)) {
  const Index count = images * phase_rows_ * phase_columns_;
  if (threads > 1) {
    phases_ = SplitConv::make(phase_shape_, count, has_bias, epilogue, threads);
  }
  if (phases_ == nullptr) {
    phases_ = std::make_unique<FloatConv>(phase_shape_, count, has_bias, epilogue);
  }
  const auto& [h, w] = std::pair(phase_shape_.window.h, phase_shape_.window.w);
  x_ = floats(count * round_up(shape.channels, phases_->x_block()) * h.input * w.input);
  y_ = floats(count * round_up(shape.outputs, phases_->y_block()) * h.output * w.output);
}

void DilatedConv::gather(const float* x, const Side& side) {
  const WindowAxis& h = shape_.window.h;
  const WindowAxis& w = shape_.window.w;
  const Index rows = phase_shape_.window.h.input;
  const Index columns = phase_shape_.window.w.input;
  auto* to = reinterpret_cast<float*>(x_.data());
  for_each_task(images_ * phase_rows_ * side.planes, threads_, [&](Index task, int) {
    const Index plane = task % side.planes;
    const Index phase_row = task / side.planes % phase_rows_;
    const Index image = task / side.planes / phase_rows_;
    const float* from = x + (image * side.planes + plane) * h.input * w.input * side.unit;
    for (Index phase_column = 0; phase_column < phase_columns_; ++phase_column) {
      const Index phase = (image * phase_rows_ + phase_row) * phase_columns_ + phase_column;
      float* out = to + (phase * side.planes + plane) * rows * columns * side.unit;
      for (Index i = 0; i < rows; ++i) {
        const Index row = phase_row - h.pad_begin + i * phase_rows_;
        for (Index j = 0; j < columns; ++j, out += side.unit) {
          const Index column = phase_column - w.pad_begin + j * phase_columns_;
          const bool inside = row >= 0 && row < h.input && column >= 0 && column < w.input;
          copy_pixel(inside ? from + (row * w.input + column) * side.unit : nullptr, side.unit, out);
        }
      }
    }
  });
}

void DilatedConv::scatter(float* y, const Side& side) const {
  const Index height = shape_.window.h.output;
  const Index width = shape_.window.w.output;
  const Index rows = phase_shape_.window.h.output;
  const Index columns = phase_shape_.window.w.output;
  const auto* from = reinterpret_cast<const float*>(y_.data());
  for_each_task(images_ * side.planes * height, threads_, [&](Index task, int) {
    const Index row = task % height;
    const Index plane = task / height % side.planes;
    const Index image = task / height / side.planes;
    float* out = y + task * width * side.unit;
    for (Index column = 0; column < width; ++column, out += side.unit) {
      const Index phase = (image * phase_rows_ + row % phase_rows_) * phase_columns_ + column % phase_columns_;
      const Index pixel = row / phase_rows_ * columns + column / phase_columns_;
      copy_pixel(from + ((phase * side.planes + plane) * rows * columns + pixel) * side.unit, side.unit, out);
    }
  });
}

bool DilatedConv::run(dnnl::stream& stream, const FloatConvOperands& operands) {
  const auto side = [](Index channels, bool in_blocks, Index block) {
    return in_blocks ? Side{.planes = divide_up(channels, block), .unit = block} : Side{.planes = channels};
  };
  gather(operands.x, side(shape_.channels, operands.x_in_blocks, x_block()));
  FloatConvOperands inner = operands;
  inner.x = reinterpret_cast<const float*>(x_.data());
  inner.y = reinterpret_cast<float*>(y_.data());
  const bool is_whole = phases_->run(stream, inner);
  scatter(operands.y, side(shape_.outputs, operands.y_in_blocks, y_block()));
  return is_whole;
}

}  // namespace assay::runtime
