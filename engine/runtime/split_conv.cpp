// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/split_conv.h"

#include <algorithm>
#include <atomic>

#include "engine/runtime/parallel.h"
#include "engine/runtime/threads.h"

namespace assay::runtime {
namespace {

// More pieces than threads, so that a thread that was late leaves little to wait for; each is worth a task.
constexpr Index kPiecesPerThread = 2;
constexpr Index kPieceMacs = 4'000'000;
constexpr Index kWideUnit = 32;  // output channels that the kernels compute side by side, in whole blocks

Index divide_up(Index a, Index b) { return (a + b - 1) / b; }

// Channels of an image as they lie in memory.
Index stored(Index channels, bool in_blocks, Index block) {
  return in_blocks ? divide_up(channels, block) * block : channels;
}

bool is_depthwise(const FloatConvShape& shape) {
  return shape.group > 1 && shape.group == shape.channels && shape.group == shape.outputs;
}

// An image of one row is cut into pixels, as if each were a row.
bool has_one_row(const Window& window) { return window.h.input == 1 && window.h.output == 1 && window.h.kernel == 1; }
WindowAxis& row_axis(Window& window) { return has_one_row(window) ? window.w : window.h; }

// What makes `count` outputs of the axis from `first` on; its first input into `first_input`. No inputs where all that
// it would read is padding.
WindowAxis cut(const WindowAxis& axis, Index first, Index count, Index& first_input) {
  const Index begin = first * axis.stride - axis.pad_begin;
  const Index end = begin + (count - 1) * axis.stride + axis.span();
  first_input = std::max<Index>(begin, 0);
  WindowAxis out = axis;
  out.pad_begin = first_input - begin;
  out.pad_end = std::max<Index>(end - axis.input, 0);
  out.input = std::max<Index>(std::min(end, axis.input) - first_input, 0);
  out.output = count;
  return out;
}

}  // namespace

std::vector<SplitConv::Share> SplitConv::shares(Index count, Index unit, Index pieces) {
  const Index units = divide_up(count, unit);
  pieces = std::min(pieces, units);
  std::vector<Share> out;
  for (Index i = 0; i < pieces; ++i) {
    const Index first = i * units / pieces * unit;
    const Index last = std::min((i + 1) * units / pieces * unit, count);
    out.push_back({.first = first, .count = last - first});
  }
  return out;
}

std::optional<SplitConv::Piece> SplitConv::piece_of(const Share& share, bool has_bias,
                                                    const ConvEpilogue& epilogue) const {
  FloatConvShape part = shape_;
  Piece piece;
  switch (by_) {
    case By::kImages:
      piece.image = share.first;
      break;
    case By::kOutputs:
      piece.output = share.first;
      part.outputs = share.count;
      if (is_depthwise(shape_)) {
        piece.channel = share.first;
        part.channels = share.count;
        part.group = share.count;
      }
      break;
    case By::kRows:
      piece.output_row = share.first;
      WindowAxis& axis = row_axis(part.window);
      axis = cut(axis, share.first, share.count, piece.input_row);
      if (axis.input == 0) {
        return std::nullopt;
      }
      break;
  }
  piece.conv = std::make_unique<FloatConv>(part, by_ == By::kImages ? share.count : 1, has_bias, epilogue);
  piece.stream = dnnl::stream(onednn::engine());
  return piece;
}

void SplitConv::change_layouts(const FloatConv::Choice& whole, Index images) {
  const Window& window = shape_.window;
  const auto x_rows = onednn::dense({images, shape_.channels, window.h.input, window.w.input});
  const auto y_rows = onednn::dense({images, shape_.outputs, window.h.output, window.w.output});
  x_rows_ = onednn::unbound(x_rows);
  y_rows_ = onednn::unbound(y_rows);
  z_rows_ = onednn::unbound(y_rows);
  const auto x = whole.primitive.src_desc();
  const auto y = whole.primitive.dst_desc();
  const bool one_image_for_all = by_ == By::kRows || (by_ == By::kOutputs && !is_depthwise(shape_));
  if (one_image_for_all && x != x_rows) {
    x_change_ = onednn::LayoutChange::before(x_rows, x);
  }
  if (by_ == By::kRows && y != y_rows) {
    y_change_ = onednn::LayoutChange::after(y, y_rows);
    z_change_ = onednn::LayoutChange::before(y_rows, y);
  }
}

std::unique_ptr<SplitConv> SplitConv::make(const FloatConvShape& shape, Index images, bool has_bias,
                                           const ConvEpilogue& epilogue, int threads) {
  const ThreadScope one(1);
  const FloatConv::Choice choice = FloatConv::choose(shape, images, has_bias, epilogue);
  const auto& whole = choice.primitive;
  const Index x_block = FloatConv::block_of(whole.src_desc(), shape.channels);
  const Index block = FloatConv::block_of(whole.dst_desc(), shape.outputs);
  By by = By::kImages;
  if (images == 1) {
    const bool in_whole_blocks = block > 1 && block < shape.outputs && (shape.group == 1 || is_depthwise(shape));
    by = in_whole_blocks ? By::kOutputs : By::kRows;
  }
  const bool pixels_are_whole = x_block == shape.channels && block == shape.outputs;
  if (by == By::kImages ? block == 0 : by == By::kRows && !pixels_are_whole) {
    return nullptr;
  }
  const Index most = std::clamp<Index>(shape.macs() * images / std::max<Index>(shape.batch, 1) / kPieceMacs, threads,
                                       kPiecesPerThread * threads);
  std::vector<Share> split;
  if (by == By::kImages) {
    split = shares(images, 1, threads);
  } else if (by == By::kRows) {
    Window window = shape.window;
    split = shares(row_axis(window).output, 1, threads);
  } else {
    const bool is_wide = shape.group == 1 && shape.outputs >= kWideUnit * threads;
    split = shares(shape.outputs, is_wide ? std::max(kWideUnit, block) : block, most);
  }
  if (split.size() < 2) {
    return nullptr;
  }
  auto out = std::unique_ptr<SplitConv>(new SplitConv(shape, by, threads));
  for (const Share& share : split) {
    auto piece = out->piece_of(share, has_bias, epilogue);
    const bool as_whole = piece.has_value() && piece->conv->implementation() == whole.impl_info_str() &&
                          piece->conv->y_block() == block && piece->conv->x_block() == x_block;
    if (!as_whole) {
      return nullptr;
    }
    out->pieces_.push_back(std::move(*piece));
  }
  out->change_layouts(choice, images);
  return out;
}

FloatConvOperands SplitConv::in_common_layouts(dnnl::stream& stream, const FloatConvOperands& operands) {
  const auto converted = [&](onednn::LayoutChange& change, dnnl::memory& rows, const float* data) {
    onednn::bind(rows, data);
    return static_cast<const float*>(change.convert(stream, rows).get_data_handle());
  };
  FloatConvOperands all = operands;
  if (x_change_ && !all.x_in_blocks) {
    all.x = converted(*x_change_, x_rows_, all.x);
    all.x_in_blocks = true;
  }
  if (z_change_ && all.z != nullptr && !all.z_in_blocks) {
    all.z = converted(*z_change_, z_rows_, all.z);
    all.z_in_blocks = true;
  }
  if (y_change_ && !all.y_in_blocks) {
    onednn::bind(y_rows_, all.y);
    all.y = static_cast<float*>(y_change_->target(y_rows_).get_data_handle());
    all.y_in_blocks = true;
  }
  stream.wait();
  return all;
}

FloatConvOperands SplitConv::of_piece(const Piece& piece, const FloatConvOperands& all) const {
  const Window& window = shape_.window;
  const Index read = window.h.input * window.w.input;
  const Index made = window.h.output * window.w.output;
  const Index taps = shape_.channels / shape_.group * window.h.kernel * window.w.kernel;
  const bool is_pixel = has_one_row(window);
  const Index y_row = shape_.outputs * (is_pixel ? 1 : window.w.output);
  const Index x_row = shape_.channels * (is_pixel ? 1 : window.w.input);
  const Index y_at = piece.output * made + piece.output_row * y_row;
  FloatConvOperands part = all;
  part.x += piece.image * stored(shape_.channels, all.x_in_blocks, x_block()) * read + piece.channel * read +
            piece.input_row * x_row;
  part.w += piece.output * taps;
  part.y += piece.image * stored(shape_.outputs, all.y_in_blocks, y_block()) * made + y_at;
  if (part.bias != nullptr) {
    part.bias += piece.output;
  }
  if (part.z != nullptr) {
    part.z += piece.image * stored(shape_.outputs, all.z_in_blocks, y_block()) * made + y_at;
  }
  return part;
}

bool SplitConv::run(dnnl::stream& stream, const FloatConvOperands& operands) {
  const FloatConvOperands all = in_common_layouts(stream, operands);
  if (all.constant_w != nullptr && by_ != By::kOutputs) {
    FloatConv& first = *pieces_.front().conv;
    first.take_weights(stream, all);
    stream.wait();
    for (Piece& piece : pieces_) {
      piece.conv->share_weights(first);
    }
  }
  std::atomic<bool> is_whole = true;
  for_each_task(static_cast<Index>(pieces_.size()), threads_, [&](Index task, int) {
    const ThreadScope one(1);  // whichever thread this is
    Piece& piece = pieces_[static_cast<std::size_t>(task)];
    if (!piece.conv->run(piece.stream, of_piece(piece, all))) {
      is_whole = false;
    }
  });
  if (all.y != operands.y) {
    y_change_->finish(stream, y_rows_);
    stream.wait();
  }
  return is_whole;
}

}  // namespace assay::runtime
