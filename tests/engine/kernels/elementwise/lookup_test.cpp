// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/elementwise/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/integers.h"
#include "tests/support/oracle/requantize.h"
#include "tests/support/random.h"

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

TEST(LookupKernels, MapEveryByteOfRandomSpansAlsoInPlace) {
  const auto kernels = test::runnable(lookup_kernels());
  test::GuardedMemory table_memory;
  test::GuardedMemory memory[2];
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    std::uint8_t* table = table_memory.place(kByteValues, random.chance(0.5));
    const auto count = static_cast<std::size_t>(random.chance(0.9) ? random.integer(0, 140) : random.integer(256, 400));
    std::uint8_t* x = memory[0].place(count, random.chance(0.5));
    std::uint8_t* y = memory[1].place(count, random.chance(0.5));
    ASSERT_TRUE(table != nullptr && x != nullptr && y != nullptr);
    const auto factor = static_cast<std::uint8_t>(random.integer(0, 127) * 2 + 1);
    const auto offset = static_cast<std::uint8_t>(random.integer(0, 255));
    std::vector<std::uint8_t> expected;
    for (std::size_t byte = 0; byte < kByteValues; ++byte) {
      table[byte] = static_cast<std::uint8_t>(byte * factor + offset);
    }
    const std::int64_t start = random.integer(0, 255);  // long spans hold every byte
    std::vector<std::uint8_t> bytes;
    for (std::size_t e = 0; e < count; ++e) {
      bytes.push_back(static_cast<std::uint8_t>(start + static_cast<std::int64_t>(e)));
      expected.push_back(table[bytes[e]]);
    }
    for (const LookupKernel* kernel : kernels) {
      std::copy(bytes.begin(), bytes.end(), x);
      std::fill(y, y + count, std::uint8_t{0x5A});
      test::ran(*kernel).lookup({.table = table, .x = x, .count = static_cast<Index>(count), .y = y});
      ASSERT_THAT(std::vector<std::uint8_t>(y, y + count), ::testing::ElementsAreArray(expected))
          << kernel->name << ", case " << i << ", seed " << test::test_seed();
      test::ran(*kernel).lookup({.table = table, .x = x, .count = static_cast<Index>(count), .y = x});
      ASSERT_THAT(std::vector<std::uint8_t>(x, x + count), ::testing::ElementsAreArray(expected))
          << kernel->name << " in place, case " << i << ", seed " << test::test_seed();
    }
  }
}

TEST(LookupKernels, ProfilesCapTheChoice) { test::expect_choices("lookup", choose_lookup); }

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
  for (const LookupKernel* kernel : test::runnable(lookup_kernels())) {
    std::vector<std::uint8_t> y(x.size());
    test::ran(*kernel).clamp({.x = x.data(), .is_signed = false, .count = 6, .min = 110, .max = 210, .y = y.data()});
    EXPECT_THAT(y, ::testing::ElementsAre(110, 110, 127, 128, 200, 210)) << kernel->name;
    // As int8: 0, 100, 127, -128, -56, -1.
    test::ran(*kernel).clamp({.x = x.data(), .is_signed = true, .count = 6, .min = -10, .max = 100, .y = y.data()});
    EXPECT_THAT(y, ::testing::ElementsAre(0, 100, 100, 246, 246, 255)) << kernel->name;
  }
}

TEST(ClampBytes, EqualsANaiveLoopOnRandomSpans) {
  const auto kernels = test::runnable(lookup_kernels());
  test::GuardedMemory memory[2];
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const auto count = static_cast<std::size_t>(random.integer(0, 200));
    const bool is_signed = random.chance(0.5);
    const std::int64_t lowest = is_signed ? -128 : 0;
    const auto low = static_cast<std::int32_t>(random.integer(lowest, lowest + 255));
    const auto high = static_cast<std::int32_t>(random.integer(low, lowest + 255));
    std::uint8_t* x = memory[0].place(count, random.chance(0.5));
    std::uint8_t* y = memory[1].place(count, random.chance(0.5));
    ASSERT_TRUE(x != nullptr && y != nullptr);
    for (std::size_t e = 0; e < count; ++e) {
      x[e] = static_cast<std::uint8_t>(random.integer(0, 255));
    }
    const oracle::Integers values = oracle::integers_of({x, count}, is_signed);
    for (const LookupKernel* kernel : kernels) {
      std::fill(y, y + count, std::uint8_t{0x5A});
      test::ran(*kernel).clamp({x, is_signed, static_cast<Index>(count), low, high, y});
      const oracle::Integers found = oracle::integers_of({y, count}, is_signed);
      for (std::size_t e = 0; e < count; ++e) {
        ASSERT_EQ(found[e], std::clamp(values[e], low, high))
            << kernel->name << ", case " << i << ", seed " << test::test_seed();
      }
    }
  }
}

}  // namespace
}  // namespace assay::kernels
