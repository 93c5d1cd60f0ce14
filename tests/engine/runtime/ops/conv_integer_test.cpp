// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/random_conv.h"
#include "tests/engine/runtime/ops/run_node.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;
using test::RandomConv;
using test::Setting;

NodeRun conv_integer(const RandomConv& conv, bool weights_computed) {
  return {
      .op_type = "ConvInteger",
      .attributes = conv.attributes(),
      .inputs = {conv.x, conv.w, test::zero_point_tensor(conv.args.x_zero_point, conv.x_signed), conv.w_zero_points()},
      .computed = {true, weights_computed}};
}

// The weights are the left operand: u8 weights with s8 inputs saturate, depthwise or not.
Arithmetic arithmetic_of(const RandomConv& conv, const Profile& profile) {
  return conv.x_signed && !conv.w_signed ? u8s8_arithmetic(profile) : Arithmetic::kExact;
}

Tensor expected_sums(const RandomConv& conv, Arithmetic arithmetic) {
  oracle::ConvArgs args = conv.args;
  args.order = oracle::FlatOrder::kChannelThenKernel;
  args.arithmetic = arithmetic;
  return Tensor::from(conv.output_shape(), oracle::convolve(args));
}

TEST(ConvInteger, EqualsTheNaiveSumInEveryProfile) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const RandomConv conv = test::random_conv(random);
    const NodeRun run = conv_integer(conv, random.chance(0.3));
    test::PerArithmetic<Tensor> expected;
    for (const Setting& setting : test::all_settings()) {
      SCOPED_TRACE("trial " + std::to_string(trial) + " " + test::setting_text(setting));
      const auto outcome = test::run_node(run, setting);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      const Arithmetic arithmetic = arithmetic_of(conv, setting.profile);
      const Tensor& wanted = expected.get(arithmetic, [&](Arithmetic a) { return expected_sums(conv, a); });
      ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], wanted));
      const bool saturates = arithmetic == Arithmetic::kSat16Pairs;
      EXPECT_EQ(outcome.value().saturates, saturates);
      EXPECT_EQ(outcome.value().kernel.arithmetic, saturates ? "sat16-pairs" : "exact");
    }
  }
}

TEST(ConvInteger, ZeroPointsAreOptional) {
  NodeRun run{.op_type = "ConvInteger",
              .inputs = {Tensor::from<std::uint8_t>({1, 1, 1, 2}, {3, 250}),
                         Tensor::from<std::uint8_t>({1, 1, 1, 2}, {2, 100})}};
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].data<std::int32_t>()[0], 6 + 25000);
}

// Two taps of one depthwise channel: 255 * 127 twice is beyond int16.
TEST(ConvInteger, WitnessSeesDepthwiseSaturation) {
  NodeRun run{.op_type = "ConvInteger",
              .attributes = {{"group", Index{2}}},
              .inputs = {Tensor::from<std::int8_t>({1, 2, 1, 2}, {127, 127, 1, 1}),
                         Tensor::from<std::uint8_t>({2, 1, 1, 2}, {255, 255, 255, 255})}};
  const Setting setting{.profile = {Isa::kAvx2, Precision::kFast}, .witness = true};
  const auto outcome = test::run_node(run, setting);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome.value().outputs[0].data<std::int32_t>()[0], 32767);
  EXPECT_EQ(outcome.value().outputs[0].data<std::int32_t>()[1], 510);
  EXPECT_EQ(outcome.value().saturation.pairs, 2U);
  EXPECT_EQ(outcome.value().saturation.saturated, 1U);
  EXPECT_EQ(outcome.value().saturation.largest_loss, 2 * 255 * 127 - 32767);
  ASSERT_EQ(outcome.value().saturation.channels.size(), 2U);
  for (const auto& channel : outcome.value().saturation.channels) {
    EXPECT_EQ(channel.weight_pairs, 1U);
    EXPECT_EQ(channel.weight_pairs_at_risk, 1U);
    EXPECT_EQ(channel.largest_possible_loss, 2 * 255 * 128 - 32768);
  }
}

TEST(ConvInteger, EmptyDimensionsGiveEmptyOutputs) {
  NodeRun run{.op_type = "ConvInteger",
              .inputs = {Tensor::allocate(DType::kUint8, {0, 3, 4, 4}).value(),
                         Tensor::allocate(DType::kInt8, {2, 3, 3, 3}).value()}};
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].shape(), (Shape{0, 2, 2, 2}));
  run.inputs = {Tensor::allocate(DType::kUint8, {1, 0, 4, 4}).value(),
                Tensor::allocate(DType::kInt8, {2, 0, 3, 3}).value()};
  for (const Setting& setting : test::all_settings()) {
    EXPECT_EQ(test::run_node(run, setting).value().outputs[0].to_indices(), std::vector<Index>(8, 0));
  }
}

TEST(ConvInteger, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  const Tensor x = Tensor::allocate(DType::kUint8, {1, 1, 2, 2}).value();
  const Tensor w = Tensor::allocate(DType::kInt8, {2, 1, 1, 1}).value();
  NodeRun run{.op_type = "ConvInteger", .inputs = {x, w, Tensor::scalar<std::int8_t>(0)}};
  EXPECT_THAT(test::refusal(run), HasSubstr("x_zero_point is uint8, found int8[]"));
  run.inputs = {x, w, Tensor::scalar<std::uint8_t>(0), Tensor::from<std::int8_t>({3}, {0, 0, 0})};
  EXPECT_THAT(test::refusal(run), HasSubstr("w_zero_point has one element or [2], found int8[3]"));
  run.inputs = {x, Tensor::allocate(DType::kInt32, {2, 1, 1, 1}).value()};
  EXPECT_THAT(test::refusal(run), HasSubstr("w is int8 or uint8, found int32[2,1,1,1]"));
}

}  // namespace
}  // namespace assay
