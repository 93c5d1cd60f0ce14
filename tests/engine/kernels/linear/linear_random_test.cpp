// SPDX-License-Identifier: Apache-2.0
// Every row on random spans between guard pages, against the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/kernels/linear/linear.h"
#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/requantize.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

constexpr int kCases = 10000;
constexpr LinearType kTypes[] = {LinearType::kInt8, LinearType::kUint8, LinearType::kInt16, LinearType::kUint16,
                                 LinearType::kInt32};
constexpr Index kSizes[] = {1, 1, 2, 2, 4};
constexpr float kSpecial[] = {0.0F,
                              -0.0F,
                              1e-45F,
                              -1e-40F,
                              3.4e38F,
                              -3.4e38F,
                              2147483648.0F,
                              -2147483904.0F,
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};

template <typename T>
T one_of(std::span<const T> values, test::Random& random) {
  return values[static_cast<std::size_t>(random.integer(0, static_cast<Index>(values.size()) - 1))];
}

oracle::OutputType limits_of(std::size_t type) {
  constexpr std::int32_t kLow[] = {-128, 0, -32768, 0, std::numeric_limits<std::int32_t>::min()};
  constexpr std::int32_t kHigh[] = {127, 255, 32767, 65535, std::numeric_limits<std::int32_t>::max()};
  return {0, kLow[type], kHigh[type]};
}

std::int32_t element(const void* data, LinearType type, Index i) {
  switch (type) {
    case LinearType::kInt8:
      return static_cast<const std::int8_t*>(data)[i];
    case LinearType::kUint8:
      return static_cast<const std::uint8_t*>(data)[i];
    case LinearType::kInt16:
      return static_cast<const std::int16_t*>(data)[i];
    case LinearType::kUint16:
      return static_cast<const std::uint16_t*>(data)[i];
    default:
      return static_cast<const std::int32_t*>(data)[i];
  }
}

Index random_count(test::Random& random) {
  return random.chance(0.9) ? random.integer(0, 140) : random.integer(141, 700);
}

float random_scale(test::Random& random) {
  if (random.chance(0.1)) {
    return one_of<float>(kSpecial, random);
  }
  return random.chance(0.3) ? std::ldexp(1.0F, static_cast<int>(random.integer(-8, 4))) : random.uniform(0.001F, 2.0F);
}

// Ties, neighbours of ties, values of any size, specials.
float random_value(float scale, test::Random& random) {
  if (random.chance(0.05)) {
    return one_of<float>(kSpecial, random);
  }
  if (random.chance(0.5)) {
    const float tie = (static_cast<float>(random.integer(-400, 400)) + 0.5F) * scale;
    return random.chance(0.7) ? tie : std::nextafterf(tie, random.chance(0.5) ? 1e30F : -1e30F);
  }
  return random.normal(0.0F, random.chance(0.8) ? 100.0F * scale : 40000.0F * scale);
}

TEST(LinearKernels, QuantizeEqualsTheOracleOnRandomSpans) {
  const auto kernels = test::runnable(linear_kernels());
  test::GuardedMemory x_memory;
  test::GuardedMemory y_memory;
  for (int i = 0; i < test::case_count(kCases); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const auto type = static_cast<std::size_t>(random.integer(0, 3));
    oracle::OutputType limits = limits_of(type);
    limits.zero_point = static_cast<std::int32_t>(random.integer(limits.min, limits.max));
    const Index count = random_count(random);
    const float scale = random_scale(random);
    const bool at_front = random.chance(0.5);
    auto* x = reinterpret_cast<float*>(x_memory.place(static_cast<std::size_t>(count) * sizeof(float), at_front));
    void* y = y_memory.place(static_cast<std::size_t>(count * kSizes[type]), random.chance(0.5));
    ASSERT_TRUE(x != nullptr && y != nullptr);
    std::vector<std::int32_t> expected;
    for (Index e = 0; e < count; ++e) {
      x[e] = random_value(scale, random);
      expected.push_back(oracle::quantize(x[e], scale, limits));
    }
    for (const LinearKernel* kernel : kernels) {
      std::memset(y, 0x5A, static_cast<std::size_t>(count * kSizes[type]));
      test::ran(*kernel).quantize({x, count, scale, limits.zero_point, kTypes[type], y});
      for (Index e = 0; e < count; ++e) {
        ASSERT_EQ(element(y, kTypes[type], e), expected[static_cast<std::size_t>(e)])
            << kernel->name << ", case " << i << ", seed " << test::test_seed() << ": element " << e << " of " << count
            << ", " << x[e] << " / " << scale << " + " << limits.zero_point;
      }
    }
  }
}

TEST(LinearKernels, DequantizeEqualsTheOracleOnRandomSpans) {
  const auto kernels = test::runnable(linear_kernels());
  test::GuardedMemory x_memory;
  test::GuardedMemory y_memory;
  for (int i = 0; i < test::case_count(kCases); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const auto type = static_cast<std::size_t>(random.integer(0, 4));
    const oracle::OutputType limits = limits_of(type);
    const auto zero_point = static_cast<std::int32_t>(random.integer(limits.min, limits.max));
    const Index count = random_count(random);
    const float scale = random_scale(random);
    std::uint8_t* x = x_memory.place(static_cast<std::size_t>(count * kSizes[type]), random.chance(0.5));
    auto* y =
        reinterpret_cast<float*>(y_memory.place(static_cast<std::size_t>(count) * sizeof(float), random.chance(0.5)));
    ASSERT_TRUE(x != nullptr && y != nullptr);
    for (Index e = 0; e < count * kSizes[type]; ++e) {
      x[e] = static_cast<std::uint8_t>(random.chance(0.1) ? 0x80 : random.integer(0, 255));
    }
    for (const LinearKernel* kernel : kernels) {
      std::memset(y, 0x5A, static_cast<std::size_t>(count) * sizeof(float));
      test::ran(*kernel).dequantize({x, kTypes[type], count, scale, zero_point, y});
      for (Index e = 0; e < count; ++e) {
        const float expected = oracle::dequantize(element(x, kTypes[type], e), scale, zero_point);
        ASSERT_TRUE(y[e] == expected || (std::isnan(y[e]) && std::isnan(expected)))
            << kernel->name << ", case " << i << ", seed " << test::test_seed() << ": element " << e << " of " << count
            << " is " << y[e] << ", not " << expected;
      }
    }
  }
}

TEST(LinearKernels, RangesEqualANaiveLoopOnRandomSpans) {
  const auto kernels = test::runnable(linear_kernels());
  test::GuardedMemory memory;
  for (int i = 0; i < test::case_count(kCases); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const Index count = random_count(random);
    auto* x =
        reinterpret_cast<float*>(memory.place(static_cast<std::size_t>(count) * sizeof(float), random.chance(0.5)));
    ASSERT_NE(x, nullptr);
    FloatRange expected;
    const bool special = random.chance(0.3);
    for (Index e = 0; e < count; ++e) {
      x[e] = special ? random_value(1.0F, random) : random.normal(random.chance(0.5) ? 3.0F : -3.0F, 1.0F);
      if (!std::isnan(x[e])) {
        expected.low = std::min(expected.low, x[e]);
        expected.high = std::max(expected.high, x[e]);
      }
    }
    for (const LinearKernel* kernel : kernels) {
      const FloatRange found = test::ran(*kernel).range(x, count);
      ASSERT_EQ(found.low, expected.low) << kernel->name << ", case " << i << ", seed " << test::test_seed();
      ASSERT_EQ(found.high, expected.high) << kernel->name << ", case " << i << ", seed " << test::test_seed();
    }
  }
}

}  // namespace
}  // namespace assay::kernels
