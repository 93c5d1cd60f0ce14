// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace assay::spec {
namespace {

// Expected values: the algorithms written in Python.
TEST(Random, GivesTheBitsOfXoshiro) {
  Random random(42);
  EXPECT_EQ(random.next(), 0x15780b2e0c2ec716U);
  EXPECT_EQ(random.next(), 0x6104d9866d113a7eU);
  EXPECT_EQ(random.next(), 0xae17533239e499a1U);
}

TEST(Random, UnitHas53Bits) {
  Random random(7);
  EXPECT_EQ(random.unit(), 0.7005764821796896);
  EXPECT_EQ(random.unit(), 0.2787512294737843);
  EXPECT_EQ(random.unit(), 0.8396274618764198);
}

TEST(Random, NormalIsTheInverseDistributionFunction) {
  Random random(7);
  EXPECT_NEAR(random.normal(), 0.52605925719208046, 1e-15);
  EXPECT_NEAR(random.normal(), -0.58655522883389277, 1e-15);
  EXPECT_NEAR(random.normal(), 0.99292793263493684, 1e-15);
  EXPECT_NEAR(random.normal(), 2.0769675971554888, 4e-15);
}

TEST(Random, NormalHasItsMomentsAndTails) {
  Random random(1);
  constexpr int kCount = 200'000;
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
    beyond_two += std::fabs(value) > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.01);
  EXPECT_NEAR(squares / kCount, 1.0, 0.015);
  EXPECT_NEAR(beyond_two / static_cast<double>(kCount), 0.05, 0.003);
}

TEST(Random, IntegersAreUniformAndIncludeBothEnds) {
  Random random(3);
  const std::array<std::int64_t, 6> expected = {1, 2, 2, -3, 1, -2};
  for (const std::int64_t value : expected) {
    EXPECT_EQ(random.integer(-3, 3), value);
  }
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) {
    ++counts[static_cast<std::size_t>(random.integer(-3, 3) + 3)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10'000, 500);
  }
  EXPECT_EQ(random.integer(5, 5), 5);
  (void)random.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

TEST(Random, SeedsOfNamesFitJson) {
  EXPECT_EQ(seed_of("case/x"), 7999269499003910U);
  EXPECT_EQ(seed_of(""), 5239054864098085U);
  EXPECT_NE(seed_of("case/x"), seed_of("case/y"));
}

}  // namespace
}  // namespace assay::spec
