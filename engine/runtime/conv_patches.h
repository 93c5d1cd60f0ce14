// SPDX-License-Identifier: Apache-2.0
// How a convolution as a matrix product is cut into tasks, and where the rows of its left operand come from.
#pragma once

#include <cstdint>

#include "engine/kernels/im2col/im2col.h"
#include "engine/runtime/conv_shape.h"

namespace assay::runtime {

// Output positions [first_position, first_position + positions) of one sample: the unit of work. They are the output
// rows [first_row, first_row + rows), unless the convolution is pointwise.
struct OutputBlock {
  Index sample = 0;
  Index first_row = 0;
  Index rows = 0;
  Index first_position = 0;
  Index positions = 0;
};

// What a product reads as its left operand: patches, or the taps where they lie in the image.
enum class LeftOperand { kPatches, kImage };

// Splits samples into blocks whose patches and accumulators (`columns` of them per position) stay in cache, and that
// give every thread work. Results do not depend on it.
class ConvTasks {
 public:
  ConvTasks() = default;
  ConvTasks(const ConvShape& shape, Index columns, int threads, LeftOperand left = LeftOperand::kPatches);
  Index count() const { return batch_ * blocks_; }
  OutputBlock at(Index task) const;
  Index most_positions() const { return block_ * width_; }

 private:
  Index batch_ = 0;
  Index rows_ = 0;   // of a sample: output rows, or positions of a pointwise convolution
  Index width_ = 1;  // positions of a row
  Index block_ = 1;  // rows of a block
  Index blocks_ = 0;
};

// The patches of some output rows: [positions, contraction()], tightly packed. Positions outside the image hold
// `pad_value`.
struct PatchSource {
  const kernels::Im2colKernel& kernel;
  const std::uint8_t* image = nullptr;  // one sample and group
  std::uint8_t pad_value = 0;
};
// (kernel y, kernel x, channel) from a channel-last image [H, W, C/group].
void write_patches_channel_last(const ConvShape& shape, const PatchSource& source, const OutputBlock& block,
                                std::uint8_t* patches);
// (channel, kernel y, kernel x) from a channel-first image [C/group, H, W].
void write_patches_channel_first(const ConvShape& shape, const PatchSource& source, const OutputBlock& block,
                                 std::uint8_t* patches);

}  // namespace assay::runtime
