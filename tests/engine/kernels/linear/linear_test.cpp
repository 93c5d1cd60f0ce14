// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/linear/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/engine/kernels/each_kernel.h"
#include "tests/support/kernel_runs.h"
#include "tests/support/oracle/requantize.h"
#include "tests/support/random.h"

namespace assay::kernels {
namespace {

using ::testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// By the scalar row; the others must agree.
template <typename T>
std::vector<std::int32_t> quantized(const std::vector<float>& x, float scale, std::int32_t zero_point) {
  std::vector<T> out;
  for (const LinearKernel* kernel : test::runnable(linear_kernels())) {
    std::vector<T> y(x.size());
    test::ran(*kernel).quantize({.x = x.data(),
                                 .count = static_cast<Index>(x.size()),
                                 .scale = scale,
                                 .zero_point = zero_point,
                                 .y_type = linear_type(DTypeOf<T>::value),
                                 .y = y.data()});
    EXPECT_TRUE(out.empty() || out == y) << kernel->name << ": scale " << scale << ", zero point " << zero_point;
    out = y;
  }
  return {out.begin(), out.end()};
}

template <typename T>
void expect_equal_oracle(const std::vector<float>& x, float scale, std::int32_t zero_point) {
  const oracle::OutputType type{zero_point, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  const std::vector<std::int32_t> found = quantized<T>(x, scale, zero_point);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(found[i], oracle::quantize(x[i], scale, type)) << x[i] << " / " << scale << " + " << zero_point;
  }
}

TEST(Quantize, TiesGoToTheEvenIntegerBeforeTheZeroPoint) {
  EXPECT_THAT(quantized<std::uint8_t>({0.5F, 1.5F, 2.5F, -0.5F, -1.5F}, 1.0F, 10), ElementsAre(10, 12, 12, 10, 8));
  EXPECT_THAT(quantized<std::uint8_t>({0.5F, 1.5F, 2.5F, -0.5F, -1.5F}, 1.0F, 11), ElementsAre(11, 13, 13, 11, 9));
  EXPECT_THAT(quantized<std::int8_t>({-2.5F, -3.5F}, 1.0F, 0), ElementsAre(-2, -4));
}

TEST(Quantize, DividesRatherThanMultiplyingByTheInverse) {
  // 4.5 / 3 is a tie; 4.5 * f32(1 / 3) lies above it.
  EXPECT_THAT(quantized<std::uint8_t>({7.5F}, 3.0F, 0), ElementsAre(2));
  test::Random random(3);
  std::vector<float> x;
  for (int i = 0; i < 20000; ++i) {
    x.push_back((static_cast<float>(random.integer(-300, 300)) + 0.5F) * 0.1F);
  }
  expect_equal_oracle<std::uint8_t>(x, 0.1F, 128);
}

TEST(Quantize, SaturatesAndSendsNanToTheMinimum) {
  const std::vector<float> x = {1e30F, -1e30F, kInfinity, -kInfinity, kNan};
  EXPECT_THAT(quantized<std::uint8_t>(x, 0.5F, 7), ElementsAre(255, 0, 255, 0, 0));
  EXPECT_THAT(quantized<std::int8_t>(x, 0.5F, -7), ElementsAre(127, -128, 127, -128, -128));
  EXPECT_THAT(quantized<std::uint16_t>(x, 0.5F, 65535), ElementsAre(65535, 0, 65535, 0, 0));
  EXPECT_THAT(quantized<std::int16_t>(x, 0.5F, -32768), ElementsAre(32767, -32768, 32767, -32768, -32768));
}

TEST(Quantize, EveryTypeOnRandomAndSpecialValues) {
  test::Random random(4);
  std::vector<float> x = {0.0F, -0.0F, 1e-45F, kNan, kInfinity, -kInfinity, 3.4e38F, -3.4e38F};
  for (int i = 0; i < 3000; ++i) {
    x.push_back(random.normal(0.0F, 100.0F));
    x.push_back(static_cast<float>(random.integer(-70000, 70000)) * 0.5F);
  }
  for (const float scale : {1.0F, 0.5F, 0.1F, 0.0F, 1e-40F, 3e38F, kInfinity, kNan, -1.0F}) {
    for (const std::int32_t zero_point : {0, 1, 100}) {
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle<std::uint8_t>(x, scale, zero_point));
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle<std::int8_t>(x, scale, zero_point - 50));
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle<std::uint16_t>(x, scale, zero_point * 600));
      ASSERT_NO_FATAL_FAILURE(expect_equal_oracle<std::int16_t>(x, scale, zero_point * 300));
    }
  }
}

template <typename T>
void expect_dequantizes(const std::vector<T>& x, float scale, std::int32_t zero_point) {
  for (const LinearKernel* kernel : test::runnable(linear_kernels())) {
    std::vector<float> y(x.size());
    test::ran(*kernel).dequantize({.x = x.data(),
                                   .x_type = linear_type(DTypeOf<T>::value),
                                   .count = static_cast<Index>(x.size()),
                                   .scale = scale,
                                   .zero_point = zero_point,
                                   .y = y.data()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(y[i], oracle::dequantize(x[i], scale, zero_point)) << kernel->name << ": " << +x[i];
    }
  }
}

template <typename T>
std::vector<T> every_value() {
  std::vector<T> out;
  for (std::int32_t value = std::numeric_limits<T>::min(); value <= std::numeric_limits<T>::max(); ++value) {
    out.push_back(static_cast<T>(value));
  }
  return out;
}

TEST(Dequantize, EveryValueOfEveryType) {
  for (const float scale : {1.0F, 0.1F, 1e-40F}) {
    expect_dequantizes(every_value<std::uint8_t>(), scale, 37);
    expect_dequantizes(every_value<std::int8_t>(), scale, -5);
    expect_dequantizes(every_value<std::uint16_t>(), scale, 40000);
    expect_dequantizes(every_value<std::int16_t>(), scale, -30000);
  }
}

TEST(Dequantize, Int32DifferencesWrap) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  expect_dequantizes<std::int32_t>({kMin, -1, 0, 1, (1 << 24) + 1, kMax}, 0.5F, 1);
  expect_dequantizes<std::int32_t>({kMin, kMax}, 0.5F, -1);
  float y = 0;
  dequantize_linear({.x = &kMin, .x_type = LinearType::kInt32, .count = 1, .scale = 1.0F, .zero_point = 1, .y = &y});
  EXPECT_EQ(y, 2147483648.0F);
}

DynamicParams dynamic_params(const std::vector<float>& x) {
  FloatRange range;
  for (const LinearKernel* kernel : test::runnable(linear_kernels())) {
    const FloatRange found = test::ran(*kernel).range(x.data(), static_cast<Index>(x.size()));
    EXPECT_TRUE(kernel == test::runnable(linear_kernels()).front() ||
                (found.low == range.low && found.high == range.high))
        << kernel->name << ": " << found.low << " to " << found.high << ", others " << range.low << " to "
        << range.high;
    range = found;
  }
  return dynamic_quantize_params(range);
}

TEST(DynamicQuantize, TheRangeAlwaysHoldsZero) {
  const DynamicParams positive = dynamic_params({2.0F, 5.1F});
  EXPECT_EQ(positive.scale, 5.1F / 255.0F);
  EXPECT_EQ(positive.zero_point, 0);
  const DynamicParams negative = dynamic_params({-2.0F, -5.1F});
  EXPECT_EQ(negative.scale, 5.1F / 255.0F);
  EXPECT_EQ(negative.zero_point, 255);
  const DynamicParams both = dynamic_params({-1.0F, 3.0F});
  EXPECT_EQ(both.scale, 4.0F / 255.0F);
  EXPECT_EQ(both.zero_point, 64);
}

TEST(DynamicQuantize, AnEmptyRangeHasAScaleOfOne) {
  for (const std::vector<float>& x : {std::vector<float>{}, {0.0F, -0.0F}, {kNan}}) {
    EXPECT_EQ(dynamic_params(x).scale, 1.0F);
    EXPECT_EQ(dynamic_params(x).zero_point, 0);
  }
}

TEST(DynamicQuantize, NanIsLeftOutAndInfiniteRangesAreDefined) {
  const DynamicParams params = dynamic_params({9.0F, kNan, -7.0F, kNan});
  EXPECT_EQ(params.scale, 16.0F / 255.0F);
  EXPECT_EQ(dynamic_params({kInfinity}).scale, kInfinity);
  EXPECT_EQ(dynamic_params({kInfinity, -1.0F}).zero_point, 0);
  EXPECT_EQ(dynamic_params({-kInfinity, 1.0F}).zero_point, 255);
}

TEST(DynamicQuantize, ExtremesCountWhereverTheyStand) {
  for (std::size_t at = 0; at < 50; ++at) {
    std::vector<float> x(50, 0.25F);
    x[at] = -3.0F;
    x[(at + 17) % 50] = 4.0F;
    EXPECT_EQ(dynamic_params(x).scale, 7.0F / 255.0F) << at;
    EXPECT_EQ(dynamic_params(x).zero_point, 109) << at;
  }
}

TEST(LinearKernels, ProfilesCapTheChoice) { test::expect_choices("linear", choose_linear); }

}  // namespace
}  // namespace assay::kernels
