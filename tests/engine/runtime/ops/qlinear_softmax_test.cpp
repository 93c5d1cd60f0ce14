// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/runtime/ops/run_microsoft.h"

namespace assay {
namespace {

using test::NodeRun;

TEST(QLinearSoftmax, OneAxisOrAllThatFollow) {
  const std::vector<Tensor> inputs = {Tensor::from<std::uint8_t>({1, 2, 2}, {10, 20, 30, 30}), Tensor::scalar(0.1F),
                                      Tensor::scalar<std::uint8_t>(0), Tensor::scalar(1.0F / 256),
                                      Tensor::scalar<std::uint8_t>(0)};
  const auto quantized = [](double share) { return static_cast<Index>(std::nearbyint(share * 256)); };
  NodeRun run = test::microsoft_node("QLinearSoftmax", inputs);
  run.attributes = {{"axis", Index{1}}, {"opset", Index{13}}};
  const double left = 1 / (1 + std::exp(2.0));
  const double right = 1 / (1 + std::exp(1.0));
  EXPECT_EQ(test::run_one(run).to_indices(),
            (std::vector<Index>{quantized(left), quantized(right), quantized(1 - left), quantized(1 - right)}));
  run.attributes["opset"] = Index{12};
  const double sum = std::exp(-2.0) + std::exp(-1.0) + 2;
  EXPECT_EQ(test::run_one(run).to_indices(),
            (std::vector<Index>{quantized(std::exp(-2.0) / sum), quantized(std::exp(-1.0) / sum), quantized(1 / sum),
                                quantized(1 / sum)}));
}

// Recorded from ONNX Runtime 1.32. Steps of 1 / 255 and 0.0037 are taken as 1 / 254 and 1 / 270, and 1 / 300 as it is.
TEST(QLinearSoftmax, EqualsOnnxRuntimeWhereStepsAreNotWhole) {
  const Tensor x = Tensor::from<std::uint8_t>({3, 4}, {3, 17, 40, 41, 0, 255, 254, 250, 9, 8, 7, 3});
  const auto run = [](const Tensor& bytes, float x_scale, float y_scale, const Tensor& y_zero_point) {
    NodeRun node = test::microsoft_node(
        "QLinearSoftmax", {bytes, Tensor::scalar(x_scale), Tensor(), Tensor::scalar(y_scale), y_zero_point});
    node.attributes = {{"axis", Index{-1}}, {"opset", Index{13}}};
    return test::run_one(node).to_indices();
  };
  EXPECT_EQ(run(x, 0.05F, 1.0F / 255, Tensor::scalar<std::uint8_t>(0)),
            (std::vector<Index>{16, 32, 101, 106, 0, 93, 89, 72, 71, 67, 64, 52}));
  EXPECT_EQ(run(x, 0.05F, 0.0037F, Tensor::scalar<std::uint8_t>(7)),
            (std::vector<Index>{24, 41, 114, 119, 7, 106, 101, 84, 82, 78, 75, 63}));
  const Tensor s8 =
      Tensor::from<std::int8_t>({3, 4}, {-125, -111, -88, -87, -128, 127, 126, 122, -119, -120, -121, -125});
  EXPECT_EQ(run(s8, 0.02F, 1.0F / 300, Tensor::scalar<std::int8_t>(-100)),
            (std::vector<Index>{-54, -39, -4, -2, -99, 4, 2, -6, -22, -23, -25, -30}));
}

}  // namespace
}  // namespace assay
