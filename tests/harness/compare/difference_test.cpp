// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/support/random.h"

namespace assay::compare {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kTop = std::int64_t{1} << 53;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

template <typename T>
Tensor row(const std::vector<T>& values) {
  return Tensor::from<T>({static_cast<Index>(values.size())}, values);
}

TEST(Differences, WideIntegersAreSubtractedAsIntegers) {
  EXPECT_THAT(
      differences(row<std::int64_t>({kTop + 1, kTop, -kTop - 1, 3}), row<std::int64_t>({kTop, kTop + 1, -kTop, 3})),
      ElementsAre(1, -1, -1, 0));
  EXPECT_THAT(differences(row<std::int64_t>({kLowest, kHighest}), row<std::int64_t>({kHighest, kLowest})),
              ElementsAre(-0x1p64, 0x1p64));
  const std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(differences(row<std::uint64_t>({high, 0, high - 1}), row<std::uint64_t>({high - 1, high, high - 1})),
              ElementsAre(1, -0x1p64, 0));
}

TEST(Differences, WhatDoubleHasNotIsRoundedAwayFromZero) {
  const double above = std::nextafter(0x1p53, 0x1p60);
  EXPECT_THAT(differences(row<std::int64_t>({kTop + 1, 0, kTop}), row<std::int64_t>({0, kTop + 1, 0})),
              ElementsAre(above, -above, 0x1p53));
}

TEST(Differences, OfOtherTypesAreThoseOfDoubles) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<double> values = differences(row<float>({1.5F, inf, nan, nan}), row<float>({1, inf, nan, 1}));
  EXPECT_THAT(std::vector<double>(values.begin(), values.begin() + 3), ElementsAre(0.5, 0, 0));
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_THAT(differences(row<std::uint8_t>({0, 255}), row<std::uint8_t>({255, 0})), ElementsAre(-255, 255));
}

TEST(Differences, AgreeWithWiderArithmetic) {
  SCOPED_TRACE(assay::test::test_seed());
  assay::test::Random random;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t divisor = std::int64_t{1} << random.integer(0, 62);
    const std::int64_t a = random.integer(kLowest, kHighest) / divisor;
    const std::int64_t b = random.integer(kLowest, kHighest) / divisor;
    const __int128 exact = static_cast<__int128>(a) - b;
    const double value = differences(row<std::int64_t>({a}), row<std::int64_t>({b}))[0];
    const auto back = static_cast<__int128>(value);
    EXPECT_TRUE(exact >= 0 ? back >= exact : back <= exact) << a << " " << b;
    EXPECT_LE(std::fabs(value - static_cast<double>(exact)), std::fabs(value) * 0x1p-52) << a << " " << b;
    EXPECT_EQ(value == 0, a == b);
  }
}

TEST(OrderedDoubles, KeepTheOrderOfWideIntegers) {
  EXPECT_THAT(ordered_doubles(row<std::int64_t>({5, -3, 5})), ElementsAre(5, -3, 5));
  EXPECT_THAT(ordered_doubles(row<std::int64_t>({kTop + 1, kTop, kLowest, kTop})), ElementsAre(3, 1, 0, 1));
  EXPECT_THAT(ordered_doubles(row<std::uint64_t>({~std::uint64_t{0}, ~std::uint64_t{0} - 1})), ElementsAre(1, 0));
}

TEST(ElementDigits, AreAllOfAnIntegers) {
  EXPECT_EQ(element_digits(row<std::int64_t>({kTop + 1}), 0), "9007199254740993");
  EXPECT_EQ(element_digits(row<std::uint64_t>({~std::uint64_t{0}}), 0), "18446744073709551615");
  EXPECT_EQ(element_digits(row<float>({0.5F}), 0), "0.5");
}

}  // namespace
}  // namespace assay::compare
