// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_layout.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace assay {
namespace {

bool overlap(std::int64_t a_begin, std::int64_t a_end, std::int64_t b_begin, std::int64_t b_end) {
  return a_begin < b_end && b_begin < a_end;
}

TEST(BlockLayout, NothingNeedsNothing) {
  EXPECT_EQ(lay_out({}).size_bytes, 0U);
  EXPECT_EQ(peak_bytes({}), 0U);
}

// A chain of three: each needs its neighbour only, so the third lies on the first.
TEST(BlockLayout, AChainNeedsTwoPlaces) {
  const std::vector<BlockLife> lives = {{100, 0, 2}, {50, 1, 4}, {100, 3, 5}};
  const BlockLayout layout = lay_out(lives);
  EXPECT_EQ(layout.offsets, (std::vector<std::size_t>{0, 100, 0}));
  EXPECT_EQ(layout.size_bytes, 150U);
  EXPECT_EQ(peak_bytes(lives), 150U);
}

// What ends when another begins makes room for it.
TEST(BlockLayout, EndsAreExclusive) {
  const std::vector<BlockLife> lives = {{64, 0, 1}, {64, 1, 2}};
  EXPECT_EQ(lay_out(lives).size_bytes, 64U);
  EXPECT_EQ(peak_bytes(lives), 64U);
}

TEST(BlockLayout, NoTwoBlocksThatLiveAtOnceOverlap) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    std::vector<BlockLife> lives(static_cast<std::size_t>(random.integer(1, 60)));
    std::size_t sum = 0;
    for (BlockLife& life : lives) {
      life.size_bytes = static_cast<std::size_t>(random.integer(1, 40)) * 64;
      life.begin = random.integer(0, 80);
      life.end = life.begin + random.integer(1, 30);
      sum += life.size_bytes;
    }
    const BlockLayout layout = lay_out(lives);
    EXPECT_GE(layout.size_bytes, peak_bytes(lives)) << "seed " << seed;
    EXPECT_LE(layout.size_bytes, sum) << "seed " << seed;
    for (std::size_t a = 0; a < lives.size(); ++a) {
      const auto begin = static_cast<std::int64_t>(layout.offsets[a]);
      const auto end = begin + static_cast<std::int64_t>(lives[a].size_bytes);
      EXPECT_LE(end, static_cast<std::int64_t>(layout.size_bytes));
      for (std::size_t b = 0; b < a; ++b) {
        const auto other = static_cast<std::int64_t>(layout.offsets[b]);
        const bool both_live = overlap(lives[a].begin, lives[a].end, lives[b].begin, lives[b].end);
        EXPECT_FALSE(both_live && overlap(begin, end, other, other + static_cast<std::int64_t>(lives[b].size_bytes)))
            << "seed " << seed << ", blocks " << a << " and " << b;
      }
    }
  }
}

}  // namespace
}  // namespace assay
