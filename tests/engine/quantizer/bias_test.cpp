// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using testing::ElementsAre;

const std::vector<ChannelRange> kTwoChannels = {{.range = {-1, 1}, .all_zero = false},
                                                {.range = {-2, 2}, .all_zero = false}};
const std::vector<ChannelRange> kOneRange = {{.range = {-1, 1}, .all_zero = false}};

BiasArgs args(const Tensor& bias, float x_scale, const std::vector<ChannelRange>& channels) {
  return {.bias = bias, .x_scale = x_scale, .channels = 2, .weight_channels = channels};
}

TEST(Bias, IsInStepsOfTheAccumulator) {
  const Tensor bias = floats({2}, {1.0F, -0.75F});
  const ChannelParams per_tensor{DType::kInt8, -1, {0.25F}, {0}};
  const QuantizedBias one = quantize_bias(per_tensor, args(bias, 0.5F, kOneRange)).value();
  EXPECT_THAT(one.data.data<std::int32_t>(), ElementsAre(8, -6));
  EXPECT_THAT(one.scales, ElementsAre(0.125F));
  const ChannelParams per_channel{DType::kInt8, 0, {0.25F, 0.5F}, {0, 0}};
  const QuantizedBias two = quantize_bias(per_channel, args(bias, 0.5F, kTwoChannels)).value();
  EXPECT_THAT(two.data.data<std::int32_t>(), ElementsAre(8, -3));
  EXPECT_THAT(two.scales, ElementsAre(0.125F, 0.25F));
}

TEST(Bias, SpreadsASingleValue) {
  const Tensor bias = floats({}, {1.0F});
  const ChannelParams per_channel{DType::kInt8, 0, {0.25F, 0.5F}, {0, 0}};
  EXPECT_THAT(quantize_bias(per_channel, args(bias, 0.5F, kTwoChannels)).value().data.data<std::int32_t>(),
              ElementsAre(8, 4));
}

TEST(Bias, LeavesScalesThatFitAlone) {
  const Tensor bias = floats({2}, {1.0F, -0.75F});
  const ChannelParams weights{DType::kInt8, 0, {0.25F, 0.5F}, {0, 0}};
  EXPECT_EQ(fit_scales_to_bias(weights, args(bias, 0.5F, kTwoChannels)), weights);
}

TEST(Bias, RaisesAWeightScaleThatWouldOverflow) {
  const Tensor bias = floats({2}, {1000.0F, 1.0F});
  const ChannelParams weights{DType::kInt8, 0, {1e-9F, 1e-3F}, {0, 0}};
  const BiasArgs a = args(bias, 1e-3F, kTwoChannels);
  const ChannelParams fitted = fit_scales_to_bias(weights, a);
  EXPECT_GT(fitted.scales[0], weights.scales[0]);
  EXPECT_EQ(fitted.scales[1], weights.scales[1]);
  const QuantizedBias quantized = quantize_bias(fitted, a).value();
  EXPECT_EQ(quantized.saturated, 0);
  const auto q = quantized.data.data<std::int32_t>();
  EXPECT_LE(q[0], 1 << 30);
  EXPECT_NEAR(q[0] * static_cast<double>(quantized.scales[0]), 1000.0, 1e-3);
}

TEST(Bias, SaturatesAndCountsWithAFixedScale) {
  const Tensor bias = floats({2}, {1000.0F, -1000.0F});
  const ChannelParams weights{DType::kInt8, -1, {1e-9F}, {0}};
  const QuantizedBias quantized = quantize_bias(weights, args(bias, 1e-3F, kOneRange)).value();
  EXPECT_EQ(quantized.saturated, 2);
  EXPECT_THAT(quantized.data.data<std::int32_t>(), ElementsAre(2147483647, -2147483647 - 1));
}

// Defect L11 of the peer: with the default scale 1 of an all-zero channel the bias 0.001 would become 0.
TEST(Bias, SurvivesAnAllZeroWeightChannel) {
  const Tensor bias = floats({2}, {0.001F, 0.001F});
  const std::vector<ChannelRange> channels = {{.range = {0, 0}, .all_zero = true},
                                              {.range = {-1, 1}, .all_zero = false}};
  const ChannelParams weights{DType::kInt8, 0, {1.0F, 0.01F}, {0, 0}};
  const BiasArgs a = args(bias, 0.1F, channels);
  const ChannelParams fitted = fit_scales_to_bias(weights, a);
  const QuantizedBias quantized = quantize_bias(fitted, a).value();
  const double back = quantized.data.data<std::int32_t>()[0] * static_cast<double>(quantized.scales[0]);
  EXPECT_NEAR(back, 0.001, 1e-8);
  EXPECT_EQ(fitted.scales[1], 0.01F);
}

// 16-bit operands: int32 itself is the limit, as no int32 accumulator adds to the bias.
TEST(Bias, WideOperandsUseAllOfInt32) {
  const Tensor bias = floats({2}, {1.5e9F, -1.0F});
  BiasArgs wide{.bias = bias, .x_scale = 1.0F, .channels = 2, .weight_channels = kOneRange, .wide = true};
  const ChannelParams params{DType::kInt16, -1, {1.0F}, {0}};
  EXPECT_EQ(fit_scales_to_bias(params, wide), params);
  wide.x_scale = 0.5F;  // 3e9 steps
  const float raised = fit_scales_to_bias(params, wide).scales[0];
  EXPECT_FLOAT_EQ(raised, static_cast<float>(1.0001 * 2 * 1.5e9 / 4294967294.0 / 0.5));
  EXPECT_EQ(quantize_bias({DType::kInt16, -1, {raised}, {0}}, wide).value().saturated, 0);
}

}  // namespace
}  // namespace assay::quantizer
