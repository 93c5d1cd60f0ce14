// SPDX-License-Identifier: Apache-2.0
// Activations with their channels in blocks, the layout in which oneDNN convolves: [N, ceil(C / B), pixels, B] instead
// of [N, C, pixels]. The executor carries a value in blocks from one operator that understands them to the next
// (Operator::run_in_blocks) and lays it out in rows where something else needs it. What is computed in blocks are the
// bits that rows would give: only where elements lie differs.
#pragma once

#include <optional>

#include "engine/ir/tensor.h"

namespace assay::runtime {

struct ChannelBlocks {
  Shape shape;  // of the value: [N, C, spatial...]
  Tensor data;  // float32 [N, ceil(C / B), pixels, B]; lanes beyond C hold 0

  bool empty() const { return data.empty(); }
  Index block() const { return data.dim(3); }
  Index pixels() const { return data.dim(2); }
  // Lanes of the last block that stand for no channel.
  Index padding() const { return data.dim(1) * block() - shape[1]; }
};

// Uninitialized. `shape` has at least a spatial dimension.
Result<ChannelBlocks> allocate_blocks(Shape shape, Index block);

// The value in row-major order.
Result<Tensor> in_rows(const ChannelBlocks& blocks, int threads);

// Sets the lanes beyond C to 0.
void clear_padding(ChannelBlocks& blocks);

// The value in row-major order where that costs nothing, or with its elements in the order in which they lie; nothing
// where lanes lie between them.
std::optional<Tensor> in_any_order(const ChannelBlocks& blocks);

// An operand of an element-wise operator as [N or 1, ceil(C / B), pixels or 1, B], to be broadcast against the data of
// `model`; a scalar stays one. Nothing where it has another form. `rows`: one element, or one per channel.
std::optional<Tensor> broadcast_in_blocks(const Tensor& rows, const ChannelBlocks& model);
std::optional<Tensor> broadcast_in_blocks(const ChannelBlocks& operand, const ChannelBlocks& model);

}  // namespace assay::runtime
