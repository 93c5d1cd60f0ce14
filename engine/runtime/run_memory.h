// SPDX-License-Identifier: Apache-2.0
// The memory of a plan's runs: lists, and one arena for each of the newest sets of input shapes. The first run on a set
// records its tensors, the next ones take theirs from the arena (engine/base/block_arena.h).
#pragma once

#include <list>
#include <vector>

#include "engine/base/block_arena.h"
#include "engine/ir/tensor.h"
#include "engine/runtime/channel_blocks.h"

namespace assay::runtime {

class RunMemory {
 public:
  // What a run keeps while it lasts, by the value's index or for the step that it is at. Lists only, without tensors
  // between runs: the next run finds their memory.
  struct Lists {
    std::vector<Tensor> values;         // what the run has computed
    std::vector<ChannelBlocks> blocks;  // where a value is in channel blocks; its rows may be there too
    std::vector<Tensor> arguments;
    std::vector<ChannelBlocks> block_arguments;
    std::vector<Tensor> outputs;
    std::vector<Shape> input_shapes;
  };
  Lists& lists() { return lists_; }

  // Makes the arena of these shapes the newest.
  BlockArena& arena_for(const std::vector<Shape>& shapes);
  // A run has ended. After the first one the pool gives back what the run took from it: later ones have an arena.
  void end_run();
  // Of the arena used last; zeros before the first run has ended.
  BlockArena::Sizes sizes() const;

 private:
  struct Entry {
    std::vector<Shape> shapes;
    BlockArena arena;
  };
  Lists lists_;
  std::list<Entry> entries_;  // newest first
  bool has_run_ = false;
};

}  // namespace assay::runtime
