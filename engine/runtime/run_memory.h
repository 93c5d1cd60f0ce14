// SPDX-License-Identifier: Apache-2.0
// The memory of a plan's runs: one arena for each of the newest sets of input shapes. The first run on a set records
// its tensors, the next ones take theirs from the arena (engine/base/block_arena.h).
#pragma once

#include <list>
#include <vector>

#include "engine/base/block_arena.h"
#include "engine/ir/tensor.h"

namespace assay::runtime {

class RunMemory {
 public:
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
  std::list<Entry> entries_;  // newest first
  bool has_run_ = false;
};

}  // namespace assay::runtime
