// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>

#include "engine/base/aligned_buffer.h"
#include "engine/base/arena_memory.h"

namespace assay {
namespace {

constexpr std::size_t kBytes = 1000;

using Block = std::unique_ptr<AlignedBuffer>;

Block filled(std::size_t size_bytes, int value) {
  auto block = std::make_unique<AlignedBuffer>(AlignedBuffer::allocate_uninitialized(size_bytes).value());
  std::memset(block->data(), value, size_bytes);
  return block;
}

bool holds(const Block& block, int value) {
  for (std::size_t i = 0; i < block->size_bytes(); ++i) {
    if (block->data()[i] != static_cast<std::byte>(value)) {
      return false;
    }
  }
  return true;
}

bool in_arena(const Block& block) { return ArenaMemory::find(block->data()) != nullptr; }

// Three blocks, of which two live at once; the last outlives the pass.
Block chain(BlockArena& arena, bool planned) {
  const BlockArenaPass pass(arena);
  Block first = filled(kBytes, 1);
  Block second = filled(kBytes, 2);
  EXPECT_TRUE(holds(first, 1));
  first.reset();
  Block third = filled(kBytes, 3);
  EXPECT_TRUE(holds(second, 2));
  EXPECT_EQ(in_arena(second), planned);
  EXPECT_EQ(in_arena(third), planned);
  second.reset();
  EXPECT_TRUE(holds(third, 3));
  return filled(kBytes, 4);
}

TEST(BlockArena, TheSecondPassLiesInOnePiece) {
  BlockArena arena;
  const Block first = chain(arena, false);
  EXPECT_FALSE(arena.is_steady());
  const std::size_t block_bytes = arena.sizes().peak_bytes / 2;
  EXPECT_GE(block_bytes, kBytes);
  EXPECT_EQ(arena.sizes().arena_bytes, 2 * block_bytes);
  EXPECT_EQ(arena.sizes().sum_bytes, 3 * block_bytes);
  EXPECT_EQ(arena.sizes().outside_bytes, block_bytes);
  for (int pass = 0; pass < 3; ++pass) {
    const Block next = chain(arena, true);
    EXPECT_TRUE(arena.is_steady());
    EXPECT_FALSE(in_arena(next));
    EXPECT_TRUE(holds(next, 4));
  }
  EXPECT_TRUE(holds(first, 4));
}

TEST(BlockArena, APassThatDepartsIsRecordedAgain) {
  BlockArena arena;
  static_cast<void>(chain(arena, false));
  {
    const BlockArenaPass pass(arena);
    const Block other = filled(2 * kBytes, 5);
    EXPECT_FALSE(in_arena(other));
    EXPECT_FALSE(in_arena(filled(kBytes, 6)));
  }
  EXPECT_FALSE(arena.is_steady());
  static_cast<void>(chain(arena, false));
  static_cast<void>(chain(arena, true));
  EXPECT_TRUE(arena.is_steady());
}

TEST(BlockArena, AShorterPassDeparts) {
  BlockArena arena;
  static_cast<void>(chain(arena, false));
  {
    const BlockArenaPass pass(arena);
    EXPECT_TRUE(in_arena(filled(kBytes, 1)));
  }
  EXPECT_FALSE(arena.is_steady());
}

TEST(BlockArena, AfterFourRecordingsNothingIsPlanned) {
  BlockArena arena;
  for (std::size_t pass = 0; pass < 20; ++pass) {
    const BlockArenaPass scope(arena);
    const Block buffer = filled(kBytes * (pass + 1), 7);
    EXPECT_FALSE(in_arena(buffer));
  }
  {
    const BlockArenaPass scope(arena);
    EXPECT_FALSE(in_arena(filled(kBytes * 20, 7)));
  }
  EXPECT_FALSE(arena.is_steady());
}

// A block kept longer than in the recorded pass: its place is not given to another.
TEST(BlockArena, APlaceThatIsHeldIsNotGivenAgain) {
  Block kept;
  {
    BlockArena arena;
    static_cast<void>(chain(arena, false));
    {
      const BlockArenaPass pass(arena);
      kept = filled(kBytes, 8);
      ASSERT_TRUE(in_arena(kept));
    }
    static_cast<void>(chain(arena, false));
    for (int pass = 0; pass < 2; ++pass) {
      static_cast<void>(chain(arena, true));
    }
  }
  EXPECT_TRUE(holds(kept, 8)) << "the block outlives the arena";
}

TEST(BlockArena, HeldPlacesAreCountedAndFilledFromThePool) {
  BlockArena arena;
  const auto pass_of_two = [&](Block& out) {
    const BlockArenaPass pass(arena);
    Block first = filled(kBytes, 1);
    out = std::move(first);
    first.reset();
    Block inner = filled(kBytes, 2);
    const bool planned = in_arena(inner);
    inner.reset();
    return planned;
  };
  Block out;
  {
    const BlockArenaPass pass(arena);
    out = filled(kBytes, 1);
    out.reset();
    static_cast<void>(filled(kBytes, 2));
  }
  EXPECT_FALSE(pass_of_two(out)) << "the second block's place is the first's, which is held";
  EXPECT_TRUE(holds(out, 1));
  EXPECT_FALSE(arena.is_steady());
}

TEST(BlockArena, BlocksMayComeBackInAnotherThread) {
  BlockArena arena;
  static_cast<void>(chain(arena, false));
  Block kept;
  {
    const BlockArenaPass pass(arena);
    kept = filled(kBytes, 1);
  }
  std::thread([&] { kept.reset(); }).join();
  static_cast<void>(chain(arena, false));
  static_cast<void>(chain(arena, true));
  EXPECT_TRUE(arena.is_steady());
}

TEST(BlockArena, PassesNest) {
  BlockArena outer;
  BlockArena inner;
  for (int round = 0; round < 2; ++round) {
    const BlockArenaPass pass(outer);
    const Block first = filled(kBytes, 1);
    static_cast<void>(chain(inner, round > 0));
    const Block second = filled(kBytes, 2);
    EXPECT_TRUE(holds(first, 1));
    EXPECT_EQ(BlockArenaPass::current(), &outer);
  }
  EXPECT_EQ(BlockArenaPass::current(), nullptr);
}

TEST(BlockArena, LongSequencesAreNotLaidOut) {
  BlockArena arena;
  for (int round = 0; round < 2; ++round) {
    const BlockArenaPass pass(arena);
    for (std::size_t i = 0; i <= BlockArena::kMaxBlocks; ++i) {
      EXPECT_FALSE(in_arena(filled(64, 1)));
    }
  }
  EXPECT_EQ(arena.sizes().arena_bytes, 0U);
}

}  // namespace
}  // namespace assay
