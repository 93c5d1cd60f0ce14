// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/oracle/integers.h"
#include "tests/support/oracle/requantize.h"

namespace assay::kernels {
namespace {

TEST(Lookup, ValuesFollowTheRawByte) {
  const ByteFloats unsigned_values = lookup_values({.is_signed = false, .scale = 0.5F, .zero_point = 128});
  EXPECT_EQ(unsigned_values[0], -64.0F);
  EXPECT_EQ(unsigned_values[255], 63.5F);
  const ByteFloats signed_values = lookup_values({.is_signed = true, .scale = 0.5F, .zero_point = 1});
  EXPECT_EQ(signed_values[0], -0.5F);
  EXPECT_EQ(signed_values[127], 63.0F);
  EXPECT_EQ(signed_values[128], -64.5F);
}

TEST(Lookup, TablesEqualDequantizeFunctionQuantize) {
  for (const bool is_signed : {false, true}) {
    const oracle::OutputType type{is_signed ? -3 : 100, is_signed ? -128 : 0, is_signed ? 127 : 255};
    ByteFloats values = lookup_values({.is_signed = is_signed, .scale = 0.03F, .zero_point = 7});
    for (float& value : values) {
      value = leaky_relu(value, 0.1F);
    }
    const ByteTable table = lookup_table(values, {is_signed, 0.02F, type.zero_point});
    std::vector<std::uint8_t> bytes;
    for (int byte = 0; byte < 256; ++byte) {
      bytes.push_back(static_cast<std::uint8_t>(byte));
    }
    const oracle::Integers x = oracle::integers_of(bytes, is_signed);
    const oracle::Integers y = oracle::integers_of(table, is_signed);
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const float value = oracle::dequantize(x[byte], 0.03F, 7);
      const float result = value < 0 ? 0.1F * value : value;
      EXPECT_EQ(y[byte], oracle::quantize(result, 0.02F, type)) << byte;
    }
  }
}

TEST(Lookup, MapsEveryByteAlsoInPlace) {
  ByteTable table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = static_cast<std::uint8_t>(255 - byte);
  }
  std::vector<std::uint8_t> x = {0, 1, 128, 255};
  lookup(table, x.data(), 4, x.data());
  EXPECT_THAT(x, ::testing::ElementsAre(255, 254, 127, 0));
}

TEST(Lookup, SigmoidAndLeakyRelu) {
  EXPECT_EQ(sigmoid(0.0F), 0.5F);
  EXPECT_EQ(sigmoid(200.0F), 1.0F);
  EXPECT_EQ(sigmoid(-200.0F), 0.0F);
  EXPECT_NEAR(static_cast<double>(sigmoid(1.0F)), 0.7310585786, 1e-7);
  EXPECT_EQ(leaky_relu(-2.0F, 0.25F), -0.5F);
  EXPECT_EQ(leaky_relu(2.0F, 0.25F), 2.0F);
}

TEST(ClampBytes, ComparesAsTheTypeSays) {
  const std::vector<std::uint8_t> x = {0, 100, 127, 128, 200, 255};
  std::vector<std::uint8_t> y(x.size());
  clamp_bytes({.x = x.data(), .is_signed = false, .count = 6, .min = 110, .max = 210, .y = y.data()});
  EXPECT_THAT(y, ::testing::ElementsAre(110, 110, 127, 128, 200, 210));
  // As int8: 0, 100, 127, -128, -56, -1.
  clamp_bytes({.x = x.data(), .is_signed = true, .count = 6, .min = -10, .max = 100, .y = y.data()});
  EXPECT_THAT(y, ::testing::ElementsAre(0, 100, 100, 246, 246, 255));
}

}  // namespace
}  // namespace assay::kernels
