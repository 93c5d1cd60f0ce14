// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/channel_blocks.h"

#include <algorithm>

#include "engine/runtime/parallel.h"

namespace assay::runtime {
namespace {

constexpr Index kTilePixels = 64;  // whose lanes stay in the nearest cache

Index pixels_of(const Shape& shape) {
  Index pixels = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) {
    pixels *= shape[i];
  }
  return pixels;
}

// One block of channels, `lanes` of them, to rows of `pixels`.
void unpack_block(const float* in, Index pixels, Index block, Index lanes, float* out) {
  for (Index first = 0; first < pixels; first += kTilePixels) {
    const Index last = std::min(pixels, first + kTilePixels);
    for (Index lane = 0; lane < lanes; ++lane) {
      for (Index pixel = first; pixel < last; ++pixel) {
        out[lane * pixels + pixel] = in[pixel * block + lane];
      }
    }
  }
}

}  // namespace

Result<ChannelBlocks> allocate_blocks(Shape shape, Index block) {
  const Shape data = {shape[0], (shape[1] + block - 1) / block, pixels_of(shape), block};
  ChannelBlocks blocks{.shape = std::move(shape), .data = {}};
  ASSAY_ASSIGN(blocks.data, Tensor::allocate_uninitialized(DType::kFloat32, data));
  return blocks;
}

Result<Tensor> in_rows(const ChannelBlocks& blocks, int threads) {
  const Index pixels = blocks.pixels();
  if (blocks.padding() == 0 && (pixels == 1 || blocks.block() == 1)) {
    return blocks.data.reshaped(blocks.shape);
  }
  ASSAY_ASSIGN(Tensor rows, Tensor::allocate_uninitialized(DType::kFloat32, blocks.shape));
  const Index block = blocks.block();
  const Index channels = blocks.shape[1];
  const Index per_image = blocks.data.dim(1);
  const float* in = blocks.data.data<float>().data();
  float* out = rows.mutable_data<float>().data();
  for_each_task(blocks.shape[0] * per_image, threads, [&](Index task, int) {
    const Index channel = task % per_image * block;
    unpack_block(in + task * pixels * block, pixels, block, std::min(block, channels - channel),
                 out + (task / per_image * channels + channel) * pixels);
  });
  return rows;
}

void clear_padding(ChannelBlocks& blocks) {
  const Index padding = blocks.padding();
  if (padding == 0) {
    return;
  }
  const Index block = blocks.block();
  const Index size = blocks.pixels() * block;
  float* data = blocks.data.mutable_data<float>().data();
  for (Index image = 1; image <= blocks.shape[0]; ++image) {
    float* last = data + (image * blocks.data.dim(1) - 1) * size;
    for (Index pixel = 1; pixel <= blocks.pixels(); ++pixel) {
      std::fill_n(last + pixel * block - padding, padding, 0.0F);
    }
  }
}

std::optional<Tensor> in_any_order(const ChannelBlocks& blocks) {
  return blocks.padding() == 0 ? std::optional(blocks.data.reshaped(blocks.shape)) : std::nullopt;
}

std::optional<Tensor> broadcast_in_blocks(const Tensor& rows, const ChannelBlocks& model) {
  if (rows.empty()) {
    return rows;
  }
  if (rows.dtype() != DType::kFloat32 || rows.rank() > model.shape.size()) {
    return std::nullopt;
  }
  if (rows.size() == 1) {
    return rows.reshaped({});
  }
  const std::size_t channel_axis =
      model.shape.size() - rows.rank() > 1 ? rows.rank() : 1 - (model.shape.size() - rows.rank());
  if (channel_axis >= rows.rank() || rows.dim(channel_axis) != model.shape[1] || rows.size() != model.shape[1]) {
    return std::nullopt;
  }
  auto packed = Tensor::allocate(DType::kFloat32, {1, model.data.dim(1), 1, model.block()});
  if (!packed.ok()) {
    return std::nullopt;
  }
  std::copy_n(rows.data<float>().data(), rows.size(), packed.value().mutable_data<float>().data());
  return std::move(packed).value();
}

std::optional<Tensor> broadcast_in_blocks(const ChannelBlocks& operand, const ChannelBlocks& model) {
  const bool fits = operand.shape.size() == model.shape.size() && operand.shape[1] == model.shape[1] &&
                    operand.block() == model.block() && (operand.shape[0] == model.shape[0] || operand.shape[0] == 1) &&
                    (operand.pixels() == 1 || operand.shape == model.shape ||
                     std::equal(operand.shape.begin() + 2, operand.shape.end(), model.shape.begin() + 2));
  return fits ? std::optional(operand.data) : std::nullopt;
}

}  // namespace assay::runtime
