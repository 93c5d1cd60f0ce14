// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_vector.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <string>

#include "engine/base/arena_memory.h"
#include "engine/base/block_arena.h"

namespace assay {
namespace {

TEST(BlockVector, IsAVectorInAlignedBlocks) {
  BlockVector<int> list;
  for (int i = 0; i < 1000; ++i) {
    list.push_back(i);
  }
  EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0), 499500);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(list.data()) % kBlockAlignmentBytes, 0U);
  const BlockVector<std::string> texts(3, std::string(100, 'x'));
  EXPECT_EQ(texts[2], std::string(100, 'x'));
}

TEST(BlockVector, OfASettledPassLiesInTheArena) {
  BlockArena arena;
  for (int pass = 0; pass < 3; ++pass) {
    const BlockArenaPass running(arena);
    const BlockVector<double> list(100, 1.5);
    EXPECT_EQ(list[99], 1.5);
    EXPECT_EQ(ArenaMemory::find(reinterpret_cast<const std::byte*>(list.data())) != nullptr, pass > 0) << pass;
  }
}

TEST(BlockVector, RefusesMoreElementsThanThereIsMemoryFor) {
  BlockAllocator<double> allocator;
  EXPECT_THROW((void)allocator.allocate(std::numeric_limits<std::size_t>::max() / 8), std::bad_alloc);
  EXPECT_THROW((void)allocator.allocate(std::numeric_limits<std::size_t>::max()), std::bad_array_new_length);
}

}  // namespace
}  // namespace assay
