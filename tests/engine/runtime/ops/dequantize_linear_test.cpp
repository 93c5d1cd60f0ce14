// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/oracle/requantize.h"

namespace assay {
namespace {

using test::NodeRun;

Tensor run_one(const NodeRun& run) {
  const auto outcome = test::run_node(run, {.threads = 2});
  EXPECT_TRUE(outcome.ok()) << outcome.error().message;
  return outcome.value().outputs[0];
}

TEST(DequantizeLinear, EveryTypeEqualsTheNaiveFormula) {
  const NodeRun s8{
      .op_type = "DequantizeLinear",
      .inputs = {Tensor::from<std::int8_t>({2}, {-128, 127}), Tensor::scalar(0.1F), Tensor::scalar<std::int8_t>(3)}};
  EXPECT_EQ(run_one(s8).data<float>()[0], oracle::dequantize(-128, 0.1F, 3));
  EXPECT_EQ(run_one(s8).data<float>()[1], oracle::dequantize(127, 0.1F, 3));
  const NodeRun u16{.op_type = "DequantizeLinear",
                    .inputs = {Tensor::from<std::uint16_t>({1}, {65535}), Tensor::scalar(0.1F)}};
  EXPECT_EQ(run_one(u16).data<float>()[0], oracle::dequantize(65535, 0.1F, 0));
  const NodeRun s16{
      .op_type = "DequantizeLinear",
      .inputs = {Tensor::from<std::int16_t>({1}, {-32768}), Tensor::scalar(0.1F), Tensor::scalar<std::int16_t>(9)}};
  EXPECT_EQ(run_one(s16).data<float>()[0], oracle::dequantize(-32768, 0.1F, 9));
  const std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  const NodeRun s32{
      .op_type = "DequantizeLinear",
      .inputs = {Tensor::from<std::int32_t>({1}, {lowest}), Tensor::scalar(0.1F), Tensor::scalar<std::int32_t>(1)}};
  EXPECT_EQ(run_one(s32).data<float>()[0], oracle::dequantize(lowest, 0.1F, 1));  // wraps
}

TEST(DequantizeLinear, PerAxisCountsFromTheEndToo) {
  const NodeRun run{.op_type = "DequantizeLinear",
                    .attributes = {{"axis", Index{-2}}},
                    .inputs = {Tensor::from<std::uint8_t>({1, 2, 2}, {1, 2, 3, 4}), Tensor::from<float>({2}, {1, 10}),
                               Tensor::from<std::uint8_t>({2}, {0, 1})}};
  EXPECT_EQ(run_one(run).to_doubles(), (std::vector<double>{1, 2, 20, 30}));
}

TEST(DequantizeLinear, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  NodeRun run{.op_type = "DequantizeLinear", .inputs = {Tensor::scalar(1.0F), Tensor::scalar(1.0F)}};
  EXPECT_THAT(test::refusal(run), HasSubstr("x must have one of the types"));
  run.inputs = {Tensor::scalar<std::int8_t>(1), Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(1)};
  EXPECT_THAT(test::refusal(run), HasSubstr("zero_point is int8, found uint8[]"));
  run.inputs = {Tensor::scalar<std::int8_t>(1), Tensor::scalar(1.0F)};
  run.attributes["output_dtype"] = Index{10};
  EXPECT_THAT(test::refusal(run), HasSubstr("output_dtype is float32 (1); found 10"));
}

}  // namespace
}  // namespace assay
