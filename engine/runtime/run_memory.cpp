// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/run_memory.h"

#include <algorithm>

#include "engine/base/block_pool.h"

namespace assay::runtime {
namespace {

// A network that alternates between more shapes takes its tensors from the pool.
constexpr std::size_t kMaxArenas = 4;

}  // namespace

BlockArena& RunMemory::arena_for(const std::vector<Shape>& shapes) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.shapes == shapes; });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    entries_.push_front({.shapes = shapes, .arena = {}});
    if (entries_.size() > kMaxArenas) {
      entries_.pop_back();
    }
  }
  return entries_.front().arena;
}

void RunMemory::end_run() {
  if (!has_run_) {
    clear_block_pool();
    has_run_ = true;
  }
}

BlockArena::Sizes RunMemory::sizes() const {
  return entries_.empty() ? BlockArena::Sizes() : entries_.front().arena.sizes();
}

}  // namespace assay::runtime
