// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/softmax/softmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/engine/kernels/gemm/guarded_memory.h"
#include "tests/support/byte_value.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string case_text(int i) { return "case " + std::to_string(i) + ", seed " + std::to_string(test::test_seed()); }

// The contract's sum, written once more.
float sum_in_order(const std::vector<float>& values) {
  std::vector<float> lanes(16, 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    lanes[i % 16] += values[i];
  }
  while (lanes.size() > 1) {
    const std::size_t half = lanes.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      lanes[i] += lanes[i + half];
    }
    lanes.resize(half);
  }
  return lanes[0];
}

std::vector<float> softmax_of(const SoftmaxKernel& kernel, const std::vector<float>& x, std::int64_t rows) {
  std::vector<float> y(x.size());
  test::ran(kernel).softmax({x.data(), y.data(), rows, static_cast<std::int64_t>(x.size()) / rows});
  return y;
}

void expect_same_bits(const std::vector<float>& found, const std::vector<float>& expected, const std::string& what) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(std::memcmp(&found[i], &expected[i], sizeof(float)), 0)
        << what << ", element " << i << ": " << found[i] << " and " << expected[i];
  }
}

void expect_near_the_real_values(const std::vector<float>& x, const std::vector<float>& y) {
  const double top = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const float value : x) {
    sum += std::exp(static_cast<double>(value) - top);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double real = std::exp(static_cast<double>(x[i]) - top) / sum;
    EXPECT_NEAR(static_cast<double>(y[i]), real, real * 4e-6 + 1e-38) << "of " << x[i];
  }
}

TEST(Softmax, EveryRowGivesTheSameBytesBetweenGuardPages) {
  test::GuardedMemory memory[2];
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const std::int64_t rows = random.integer(1, 3);
    const std::int64_t length = random.integer(1, 70);
    const float deviation = random.chance(0.2) ? 60.0F : 3.0F;
    std::vector<float> x;
    for (std::int64_t at = 0; at < rows * length; ++at) {
      x.push_back(random.chance(0.01) ? -kInfinity : random.normal(0, deviation));
    }
    x[0] = 1;
    const std::vector<float> expected = softmax_of(softmax_kernels().back(), x, rows);
    const std::size_t bytes = x.size() * sizeof(float);
    for (const SoftmaxKernel* kernel : test::runnable(softmax_kernels())) {
      auto* in = reinterpret_cast<float*>(memory[0].place(bytes, random.chance(0.5)));
      auto* out = reinterpret_cast<float*>(memory[1].place(bytes, random.chance(0.5)));
      ASSERT_TRUE(in != nullptr && out != nullptr);
      std::copy(x.begin(), x.end(), in);
      test::ran(*kernel).softmax({in, out, rows, length});
      ASSERT_NO_FATAL_FAILURE(expect_same_bits({out, out + x.size()}, expected, kernel->name + (", " + case_text(i))));
    }
  }
}

TEST(Softmax, IsNearTheRealValues) {
  test::Random random(1);
  std::vector<float> x;
  for (int i = 0; i < 3000; ++i) {
    x.push_back(random.uniform(-86.0F, 0.0F));
  }
  x[17] = 0;
  for (const SoftmaxKernel* kernel : test::runnable(softmax_kernels())) {
    expect_near_the_real_values(x, softmax_of(*kernel, x, 1));
  }
}

// Equal elements have the exponential 1; the sums of 16 places are whole numbers and their quotients exact.
TEST(Softmax, EqualElementsShareEqually) {
  for (const SoftmaxKernel* kernel : test::runnable(softmax_kernels())) {
    for (const std::size_t length : {1U, 2U, 15U, 16U, 17U, 1000U}) {
      EXPECT_EQ(softmax_of(*kernel, std::vector<float>(length, -7.25F), 1),
                std::vector<float>(length, 1.0F / static_cast<float>(length)))
          << kernel->name;
    }
  }
}

TEST(Softmax, Extremes) {
  for (const SoftmaxKernel* kernel : test::runnable(softmax_kernels())) {
    EXPECT_EQ(softmax_of(*kernel, {3e38F, -3e38F}, 1), (std::vector<float>{1, 0})) << kernel->name;
    EXPECT_EQ(softmax_of(*kernel, {-kInfinity, 5, 5}, 1), (std::vector<float>{0, 0.5F, 0.5F})) << kernel->name;
    EXPECT_EQ(softmax_of(*kernel, {0, -87.5F}, 1), (std::vector<float>{1, 0})) << kernel->name;
    EXPECT_GT(softmax_of(*kernel, {0, -87}, 1)[1], 0) << kernel->name;
    for (const float odd : {std::nanf(""), kInfinity}) {
      for (const float y : softmax_of(*kernel, {1, odd, 2}, 1)) {
        EXPECT_TRUE(std::isnan(y)) << kernel->name << ", " << odd;
      }
    }
    for (const float y : softmax_of(*kernel, std::vector<float>(20, -kInfinity), 1)) {
      EXPECT_TRUE(std::isnan(y)) << kernel->name;
    }
    test::ran(*kernel).softmax({nullptr, nullptr, 3, 0});
  }
}

struct QuantizedRows {
  std::int64_t rows = 1;
  std::int64_t length = 1;
  bool is_signed = false;
  float steps = 256;
  std::int32_t y_zero_point = 0;
  SoftmaxTable table = {};
  std::vector<std::uint8_t> x;
};

// Naive.
std::vector<std::uint8_t> expected_of(const QuantizedRows& c) {
  std::vector<std::uint8_t> out;
  const int low = c.is_signed ? -128 : 0;
  for (std::int64_t row = 0; row < c.rows; ++row) {
    const auto first = c.x.begin() + row * c.length;
    std::vector<int> values;
    std::transform(first, first + c.length, std::back_inserter(values),
                   [&](std::uint8_t byte) { return test::byte_value(byte, c.is_signed); });
    const int top = *std::max_element(values.begin(), values.end());
    std::vector<float> e;
    std::transform(values.begin(), values.end(), std::back_inserter(e),
                   [&](int value) { return c.table[static_cast<std::size_t>(top - value)]; });
    const float sum = sum_in_order(e);
    for (const float value : e) {
      const float product = value * c.steps;
      const double rounded = std::nearbyint(static_cast<double>(product / sum)) + c.y_zero_point;
      const double clamped = std::isnan(rounded) ? low : std::clamp<double>(rounded, low, low + 255);
      out.push_back(static_cast<std::uint8_t>(static_cast<int>(clamped)));
    }
  }
  return out;
}

QuantizedRows random_rows(test::Random& random) {
  QuantizedRows c;
  c.rows = random.integer(1, 3);
  c.length = random.chance(0.8) ? random.integer(1, 40) : random.integer(41, 300);
  c.is_signed = random.chance(0.5);
  c.steps = random.chance(0.1) ? kInfinity : static_cast<float>(random.integer(0, 400));
  const std::int64_t low = c.is_signed ? -128 : 0;
  c.y_zero_point = static_cast<std::int32_t>(random.chance(0.5) ? low : random.integer(low, low + 255));
  c.table = qlinear_softmax_table(random.chance(0.1) ? 3.0F : random.uniform(0.001F, 0.3F));
  if (random.chance(0.2)) {  // sums that show their order
    for (float& value : c.table) {
      value = random.chance(0.1) ? (random.chance(0.5) ? 0x1p26F : -0x1p26F) : random.uniform(0.5F, 1.0F);
    }
  }
  const std::int64_t least = random.chance(0.3) ? 220 : 0;
  for (std::int64_t i = 0; i < c.rows * c.length; ++i) {
    c.x.push_back(static_cast<std::uint8_t>(random.integer(least, 255)));
  }
  return c;
}

TEST(QLinearSoftmax, EqualsANaiveLoopBetweenGuardPages) {
  test::GuardedMemory memory[2];
  for (int i = 0; i < test::case_count(10000); ++i) {
    test::Random random(static_cast<std::uint64_t>(i));
    const QuantizedRows c = random_rows(random);
    const std::vector<std::uint8_t> expected = expected_of(c);
    for (const SoftmaxKernel* kernel : test::runnable(softmax_kernels())) {
      std::uint8_t* x = memory[0].place(c.x.size(), random.chance(0.5));
      std::uint8_t* y = memory[1].place(c.x.size(), random.chance(0.5));
      ASSERT_TRUE(x != nullptr && y != nullptr);
      std::copy(c.x.begin(), c.x.end(), x);
      test::ran(*kernel).qlinear({x, y, c.rows, c.length, c.is_signed, c.table.data(), c.steps, c.y_zero_point});
      ASSERT_EQ(std::vector<std::uint8_t>(y, y + c.x.size()), expected) << kernel->name << ", " << case_text(i);
    }
  }
}

TEST(QLinearSoftmax, WholeStepsAndTheTable) {
  EXPECT_EQ(qlinear_softmax_steps(1.0F / 256), 256);
  EXPECT_EQ(qlinear_softmax_steps(1.0F / 255), 254);  // 1 / f32(1 / 255) is 254.99998
  EXPECT_EQ(qlinear_softmax_steps(0.003F), 333);
  const SoftmaxTable table = qlinear_softmax_table(0.5F);
  EXPECT_EQ(table[0], 1);
  EXPECT_EQ(table[3], static_cast<float>(std::exp(-1.5)));
}

TEST(SoftmaxKernels, ProfilesCapTheChoice) {
#if defined(__x86_64__)
  test::expect_choices("softmax", choose_softmax);
#else
  EXPECT_STREQ(choose_softmax(Profile{Isa::kNeon, Precision::kFast}, test::full_host()).kernel->name, "softmax_scalar");
#endif
}

}  // namespace
}  // namespace assay::kernels
