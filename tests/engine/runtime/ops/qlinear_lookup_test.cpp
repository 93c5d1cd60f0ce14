// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/ops/run_microsoft.h"
#include "tests/support/oracle/requantize.h"

namespace assay {
namespace {

using test::NodeRun;

TEST(QLinearLookup, SigmoidAndLeakyReluOfEveryByte) {
  oracle::Integers all;
  for (std::int32_t value = -128; value < 128; ++value) {
    all.push_back(value);
  }
  const std::vector<Tensor> inputs = {test::byte_tensor({256}, all, true), Tensor::scalar(0.05F),
                                      Tensor::scalar<std::int8_t>(3), Tensor::scalar(0.01F),
                                      Tensor::scalar<std::int8_t>(-100)};
  const oracle::OutputType y{.zero_point = -100, .min = -128, .max = 127};
  const Tensor sigmoid = test::run_one(test::microsoft_node("QLinearSigmoid", inputs));
  NodeRun leaky = test::microsoft_node("QLinearLeakyRelu", inputs);
  leaky.attributes["alpha"] = 0.25F;
  const Tensor relu = test::run_one(leaky);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float x = oracle::dequantize(all[i], 0.05F, 3);
    EXPECT_EQ(sigmoid.data<std::int8_t>()[i], oracle::quantize(1.0F / (1.0F + std::exp(-x)), 0.01F, y)) << all[i];
    EXPECT_EQ(relu.data<std::int8_t>()[i], oracle::quantize(x < 0 ? 0.25F * x : x, 0.01F, y)) << all[i];
  }
}

TEST(QLinearConcat, KeepsEqualPartsAndRequantizesOthers) {
  NodeRun run = test::microsoft_node(
      "QLinearConcat",
      {Tensor::scalar(0.5F), Tensor::scalar<std::uint8_t>(10), Tensor::from<std::uint8_t>({2, 1}, {0, 255}),
       Tensor::scalar(0.5F), Tensor::scalar<std::uint8_t>(10), Tensor::from<std::uint8_t>({2, 2}, {0, 1, 2, 200}),
       Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(2), Tensor::from<std::uint8_t>({2, 1}, {0, 7}),
       Tensor::scalar(0.5F), Tensor::scalar<std::uint8_t>(4)});
  run.attributes["axis"] = Index{-1};
  const Tensor y = test::run_one(run);
  EXPECT_EQ(y.shape(), (Shape{2, 4}));
  EXPECT_EQ(y.to_indices(), (std::vector<Index>{0, 6, 8, 6, 255, 10, 255, 13}));
  run.inputs[5] = Tensor::from<std::uint8_t>({3, 1}, {0, 1, 2});
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("found [3,1]"));
  run.inputs.pop_back();
  EXPECT_THAT(test::refusal(run), testing::HasSubstr("found 10"));
}

}  // namespace
}  // namespace assay
