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

}  // namespace
}  // namespace assay
