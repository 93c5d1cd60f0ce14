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

std::unique_ptr<SplitConv> SplitConv::make(const FloatConvShape& shape, Index images, bool has_bias,
                                           const ConvEpilogue& epilogue, int threads) {
  const bool is_depthwise = shape.group > 1 && shape.group == shape.channels && shape.group == shape.outputs;
  const ThreadScope one(1);
  const auto whole = FloatConv::choose(shape, images, has_bias, epilogue).primitive;
  const Index block = FloatConv::block_of(whole.dst_desc(), shape.outputs);
  const bool by_image = images > 1;
  const bool in_whole_blocks = block > 1 && block < shape.outputs && (shape.group == 1 || is_depthwise);
  if (by_image ? block == 0 : !in_whole_blocks) {
    return nullptr;
  }
  const Index most = std::clamp<Index>(shape.macs() * images / std::max<Index>(shape.batch, 1) / kPieceMacs, threads,
                                       kPiecesPerThread * threads);
  // A copy of the weights belongs to every piece of the images.
  std::vector<Share> split;
  if (by_image) {
    split = shares(images, 1, threads);
  } else {
    const bool is_wide = shape.group == 1 && shape.outputs >= kWideUnit * threads;
    split = shares(shape.outputs, is_wide ? std::max(kWideUnit, block) : block, most);
  }
  if (split.size() < 2) {
    return nullptr;
  }
  auto out = std::unique_ptr<SplitConv>(new SplitConv(shape, threads));
  for (const Share& share : split) {
    FloatConvShape part = shape;
    if (!by_image) {
      part.outputs = share.count;
      part.channels = is_depthwise ? share.count : shape.channels;
      part.group = is_depthwise ? share.count : 1;
    }
    Piece piece{.conv = std::make_unique<FloatConv>(part, by_image ? share.count : 1, has_bias, epilogue),
                .stream = dnnl::stream(onednn::engine()),
                .image = by_image ? share.first : 0,
                .channel = is_depthwise && !by_image ? share.first : 0,
                .output = by_image ? 0 : share.first};
    const bool as_whole = piece.conv->implementation() == whole.impl_info_str() && piece.conv->y_block() == block &&
                          piece.conv->x_block() == FloatConv::block_of(whole.src_desc(), shape.channels);
    if (!as_whole) {
      return nullptr;
    }
    out->pieces_.push_back(std::move(piece));
  }
  const bool one_image_for_all = !by_image && !is_depthwise;
  const auto rows = onednn::dense({images, shape.channels, shape.window.h.input, shape.window.w.input});
  if (one_image_for_all && whole.src_desc() != rows) {
    out->x_change_ = onednn::LayoutChange::before(rows, whole.src_desc());
    out->x_rows_ = rows;
  }
  return out;
}

bool SplitConv::run(dnnl::stream& stream, const FloatConvOperands& operands) {
  FloatConvOperands all = operands;
  if (x_change_ && !all.x_in_blocks) {
    all.x = static_cast<const float*>(x_change_->convert(stream, onednn::wrap(x_rows_, all.x)).get_data_handle());
    stream.wait();
    all.x_in_blocks = true;
  }
  const Window& window = shape_.window;
  const Index read = window.h.input * window.w.input;
  const Index made = window.h.output * window.w.output;
  const Index taps = shape_.channels / shape_.group * window.h.kernel * window.w.kernel;
  const Index x_image = stored(shape_.channels, all.x_in_blocks, x_block()) * read;
  const Index y_image = stored(shape_.outputs, all.y_in_blocks, y_block()) * made;
  const Index z_image = stored(shape_.outputs, all.z_in_blocks, y_block()) * made;
  std::atomic<bool> is_whole = true;
  for_each_task(static_cast<Index>(pieces_.size()), threads_, [&](Index task, int) {
    const ThreadScope one(1);  // whichever thread this is
    Piece& piece = pieces_[static_cast<std::size_t>(task)];
    FloatConvOperands part = all;
    part.x += piece.image * x_image + piece.channel * read;
    part.w += piece.output * taps;
    part.y += piece.image * y_image + piece.output * made;
    if (part.bias != nullptr) {
      part.bias += piece.output;
    }
    if (part.z != nullptr) {
      part.z += piece.image * z_image + piece.output * made;
    }
    if (!piece.conv->run(piece.stream, part)) {
      is_whole = false;
    }
  });
  return is_whole;
}

}  // namespace assay::runtime
