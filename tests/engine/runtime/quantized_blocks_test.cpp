// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::runtime {
namespace {

using testing::ElementsAre;

// Rows of 3 in blocks of 2: the last block is one element.
TEST(DequantizeBlocks, AlongTheLastAxis) {
  const Tensor x = Tensor::from<std::int8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor scale = Tensor::from<float>({2, 2}, {1, 10, 100, 1000});
  const Tensor zero_point = Tensor::from<std::int8_t>({2, 2}, {1, 0, 0, 1});
  const Tensor y =
      dequantize_blocks({.x = x, .scale = scale, .zero_point = zero_point, .axis = -1, .block = 2}).value();
  EXPECT_THAT(y.data<float>(), ElementsAre(0, 1, 30, 400, 500, 5000));
}

TEST(DequantizeBlocks, AlongTheFirstAxis) {
  const Tensor x = Tensor::from<std::uint8_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor scale = Tensor::from<float>({2, 2}, {1, 10, 100, 1000});
  const Tensor y = dequantize_blocks({.x = x, .scale = scale, .zero_point = Tensor(), .axis = 0, .block = 2}).value();
  EXPECT_THAT(y.data<float>(), ElementsAre(1, 20, 3, 40, 500, 6000));
}

TEST(DequantizeBlocks, RefusesOtherShapes) {
  const Tensor x = Tensor::from<std::uint8_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor scale = Tensor::from<float>({2}, {1, 10});
  const auto refused = dequantize_blocks({.x = x, .scale = scale, .zero_point = Tensor(), .axis = 0, .block = 2});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "scale is float32 [2,2] for blocks of 2; found float32 [2]");
}

}  // namespace
}  // namespace assay::runtime
