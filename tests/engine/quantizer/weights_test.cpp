// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using testing::ElementsAre;

const Tensor kWeight = floats({2, 3}, {-1, 0.5, 1, 4, -2, 0});

ChannelParams choose(const Options& options, const TensorOverride* setting = nullptr, Index axis = 0) {
  return choose_weight_params(
             {.name = "w", .tensor = kWeight, .channel_axis = axis, .options = options, .setting = setting})
      .value();
}

TEST(WeightParams, PerTensorSymmetricNarrowByDefault) {
  const ChannelParams params = choose({});
  EXPECT_EQ(params.axis, -1);
  EXPECT_THAT(params.scales, ElementsAre(static_cast<float>(8.0 / 254)));
  EXPECT_THAT(params.zero_points, ElementsAre(0));
}

TEST(WeightParams, PerChannelOnEitherAxis) {
  Options options;
  options.per_channel = true;
  EXPECT_THAT(choose(options).scales, ElementsAre(static_cast<float>(2.0 / 254), static_cast<float>(8.0 / 254)));
  EXPECT_THAT(choose(options, nullptr, 1).scales,
              ElementsAre(static_cast<float>(8.0 / 254), static_cast<float>(4.0 / 254), static_cast<float>(2.0 / 254)));
}

TEST(WeightParams, AsymmetricUint8) {
  Options options;
  options.weight_type = DType::kUint8;
  options.weight_symmetric = false;
  const ChannelParams params = choose(options);
  EXPECT_THAT(params.scales, ElementsAre(static_cast<float>(6.0 / 255)));
  EXPECT_THAT(params.zero_points, ElementsAre(85));
}

TEST(WeightParams, OverridesGoFirst) {
  TensorOverride scale;
  scale.scale = 0.5;
  scale.zero_point = 3;
  Options options;
  options.per_channel = true;  // the single scale is for the whole tensor
  EXPECT_EQ(choose(options, &scale), (ChannelParams{DType::kInt8, -1, {0.5F}, {3}}));
  TensorOverride axis;
  axis.axis = -2;
  axis.type = DType::kUint8;
  EXPECT_EQ(choose({}, &axis).axis, 0);
  EXPECT_EQ(choose({}, &axis).dtype, DType::kUint8);
}

// Defect L12 of the peer: min and max reach every channel.
TEST(WeightParams, OverriddenRangeReachesEveryChannel) {
  TensorOverride setting;
  setting.axis = 0;
  setting.min = -8;
  setting.max = 8;
  EXPECT_THAT(choose({}, &setting).scales, ElementsAre(static_cast<float>(16.0 / 254), static_cast<float>(16.0 / 254)));
}

TEST(WeightParams, RefusesAnotherAxis) {
  TensorOverride setting;
  setting.axis = 1;
  const auto result = choose_weight_params(
      {.name = "w", .tensor = kWeight, .channel_axis = 0, .options = Options{}, .setting = &setting});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "quantizer.overrides for 'w': axis 1 is not the axis of the output channels (0)");
}

TEST(QuantizeTensor, UsesTheChannelsParametersAndTheWholeType) {
  const ChannelParams params{DType::kInt8, 0, {0.01F, 2.0F}, {0, 1}};
  const Tensor q = quantize_tensor(kWeight, params).value();
  EXPECT_THAT(q.data<std::int8_t>(), ElementsAre(-100, 50, 100, 3, 0, 1));
  const ChannelParams small{DType::kInt8, -1, {0.001F}, {0}};
  EXPECT_THAT(quantize_tensor(kWeight, small).value().data<std::int8_t>(), ElementsAre(-128, 127, 127, 127, -128, 0));
}

TEST(QuantizeTensor, ReducedRangeStaysWithin64) {
  Options options;
  options.reduce_range = true;
  const Tensor q = quantize_tensor(kWeight, choose(options)).value();
  EXPECT_THAT(q.data<std::int8_t>(), ElementsAre(-16, 8, 16, 64, -32, 0));
}

TEST(ParamTensors, AreScalarsOrVectors) {
  const ChannelParams one{DType::kUint8, -1, {0.5F}, {128}};
  EXPECT_EQ(scale_tensor(one).rank(), 0U);
  EXPECT_EQ(zero_point_tensor(one).dtype(), DType::kUint8);
  const ChannelParams two{DType::kInt8, 0, {0.5F, 0.25F}, {0, 1}};
  EXPECT_EQ(scale_tensor(two).shape(), (Shape{2}));
  EXPECT_THAT(zero_point_tensor(two).data<std::int8_t>(), ElementsAre(0, 1));
}

// Blocks of 2 along an axis of 3: the last block is one element.
TEST(WeightParams, BlocksHaveTheirOwnScales) {
  Options options;
  options.block_size = 2;
  const ChannelParams params =
      choose_weight_params({.name = "w", .tensor = kWeight, .channel_axis = 0, .block_axis = 1, .options = options})
          .value();
  EXPECT_EQ(params.shape(), (Shape{2, 2}));
  EXPECT_THAT(params.scales, ElementsAre(static_cast<float>(2.0 / 254), static_cast<float>(2.0 / 254),
                                         static_cast<float>(8.0 / 254), 1.0F));
  const Tensor q = quantize_tensor(kWeight, params).value();
  EXPECT_THAT(q.data<std::int8_t>(), ElementsAre(-127, 64, 127, 127, -64, 0));
}

TEST(WeightParams, ChannelsMayBeGivenOneByOne) {
  TensorOverride setting;
  setting.axis = 0;
  setting.channels = {{.scale = 0.5, .zero_point = 1, .min = {}, .max = {}},
                      {.scale = {}, .zero_point = {}, .min = -8, .max = 8}};
  const ChannelParams params = choose({}, &setting);
  EXPECT_THAT(params.scales, ElementsAre(0.5F, static_cast<float>(16.0 / 254)));
  EXPECT_THAT(params.zero_points, ElementsAre(1, 0));
  setting.channels.pop_back();
  const auto refused = choose_weight_params(
      {.name = "w", .tensor = kWeight, .channel_axis = 0, .options = Options{}, .setting = &setting});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "quantizer.overrides for 'w': 1 entries for 2 channels");
}

TEST(QuantizeTensor, WideAndNarrowTypes) {
  const ChannelParams four{DType::kInt4, -1, {0.5F}, {0}};
  EXPECT_THAT(quantize_tensor(kWeight, four).value().to_indices(), ElementsAre(-2, 1, 2, 7, -4, 0));
  const ChannelParams sixteen{DType::kUint16, -1, {0.0001F}, {32768}};
  EXPECT_THAT(quantize_tensor(kWeight, sixteen).value().to_indices(),
              ElementsAre(22768, 37768, 42768, 65535, 12768, 32768));
}

}  // namespace
}  // namespace assay::quantizer
