// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/support/random.h"

namespace assay::quantizer {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void add(Tail& tail, const std::vector<float>& values, Index capacity) {
  std::vector<BlockExtremes> blocks;
  scan(values, &blocks);
  tail.add(values, blocks, capacity);
}

float key(TailSide side, float value) {
  return side == TailSide::kLargest ? value : side == TailSide::kSmallest ? -value : std::fabs(value);
}

std::vector<float> sample(test::Random& random, std::size_t size) {
  const int kind = static_cast<int>(random.integer(0, 3));
  const float scale = random.uniform(0.1F, 10);
  std::vector<float> values(size);
  for (float& value : values) {
    const float x = random.normal(0, scale);
    value = kind == 0 ? x : kind == 1 ? std::max(x, 0.0F) : kind == 2 ? std::clamp(x, 0.0F, 6.0F) : std::round(x);
    if (random.chance(0.001)) {
      value = random.chance(0.5) ? kNan : kInf;
    }
  }
  return values;
}

// What at() gives is the element of that rank, however the samples were shared out; the first `capacity` it gives.
TEST(Tail, GivesTheElementsOfTheirRanksOrNothing) {
  test::Random random(31);
  for (int round = 0; round < 200; ++round) {
    const auto side = static_cast<TailSide>(random.integer(0, 2));
    const Index capacity = random.integer(1, 300);
    std::vector<Tail> workers(static_cast<std::size_t>(random.integer(1, 4)), Tail(side));
    std::vector<float> keys;
    const std::int64_t samples = random.integer(1, 8);
    for (std::int64_t i = 0; i < samples; ++i) {
      const std::vector<float> values = sample(random, static_cast<std::size_t>(random.integer(0, 3000)));
      add(workers[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(workers.size()) - 1))], values,
          capacity);
      for (const float value : values) {
        if (std::isfinite(value)) {
          keys.push_back(key(side, value));
        }
      }
    }
    std::sort(keys.begin(), keys.end(), std::greater<>());
    Tail all = workers[0];
    for (std::size_t worker = 1; worker < workers.size(); ++worker) {
      all.merge(workers[worker]);
    }
    all.sort();
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
      const std::optional<float> found = all.at(static_cast<Index>(rank));
      ASSERT_TRUE(found || static_cast<Index>(rank) >= capacity)
          << "rank " << rank << " capacity " << capacity << " seed " << test::test_seed();
      if (found) {
        ASSERT_EQ(*found, keys[rank]) << "rank " << rank << " seed " << test::test_seed() << " round " << round;
      }
    }
    ASSERT_FALSE(all.at(static_cast<Index>(keys.size())));
  }
}

TEST(Tail, KeepsNoMoreThanItWasToldTo) {
  Tail tail(TailSide::kLargest);
  std::vector<float> rising(100000);
  for (std::size_t i = 0; i < rising.size(); ++i) {
    rising[i] = static_cast<float>(i);
  }
  add(tail, rising, 50);
  tail.sort();
  EXPECT_EQ(tail.at(49), 99950.0F);
  EXPECT_FALSE(tail.at(100 + static_cast<Index>(kScanBlock)));
}

TEST(Tail, ALargerCapacityHoldsFromThenOn) {
  Tail tail(TailSide::kLargest);
  add(tail, std::vector<float>(1000, 1.0F), 10);
  add(tail, std::vector<float>(1000, 2.0F), 900);
  add(tail, std::vector<float>(1000, 3.0F), 10);
  tail.sort();
  EXPECT_EQ(tail.at(899), 3.0F);
}

}  // namespace
}  // namespace assay::quantizer
