// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/quantized_product.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay::runtime {
namespace {

// 0.1 * 0.1 / 0.3 depends on the order in which float32 rounds it.
TEST(ProductScales, MultiplyFirstThenDivide) {
  const std::vector<float> b_scales = {0.1F, 0.7F};
  std::vector<float> scales;
  set_product_scales(0.1F, b_scales, 0.3F, scales);
  const float product = 0.1F * 0.1F;
  EXPECT_EQ(scales[0], product / 0.3F);
  EXPECT_NE(scales[0], 0.1F * (0.1F / 0.3F));
}

TEST(MakeCorrection, WrapsInInt32) {
  PackedMatrix b;
  b.k = 2;
  b.n = 1;
  b.column_sums = {-5};
  const std::vector<std::int32_t> bias = {std::numeric_limits<std::int32_t>::max()};
  const std::vector<std::int32_t> zero_points = {3};
  Correction correction;
  make_correction({.b = b, .a_zero_point = 10, .b_zero_points = zero_points, .bias = bias}, correction);
  // bias - 10 * (-5) + 2 * 10 * 3 = bias + 110
  EXPECT_EQ(correction.column_offset[0], std::numeric_limits<std::int32_t>::min() + 109);
  EXPECT_EQ(correction.b_zero_points, zero_points);
}

TEST(MakeCorrection, LeavesOutZeroPointsThatAreZero) {
  PackedMatrix b;
  b.k = 2;
  b.n = 2;
  b.column_sums = {1, 2};
  const std::vector<std::int32_t> zero_points = {0, 0};
  Correction correction;
  correction.b_zero_points = {7, 7};  // of another run
  make_correction({.b = b, .a_zero_point = 10, .b_zero_points = zero_points}, correction);
  EXPECT_EQ(correction.column_offset, (std::vector<std::int32_t>{-10, -20}));
  EXPECT_TRUE(correction.b_zero_points.empty());
}

TEST(ReadClamp, StaysWithinTheType) {
  Node node;
  Requantization out;
  ASSERT_TRUE(read_clamp(node, DType::kInt8, out).ok());
  EXPECT_EQ(out.clamp_min, -128);
  EXPECT_EQ(out.clamp_max, 127);
  node.attributes["clamp_min"] = Index{-1000};
  node.attributes["clamp_max"] = Index{40};
  ASSERT_TRUE(read_clamp(node, DType::kUint8, out).ok());
  EXPECT_EQ(out.clamp_min, 0);
  EXPECT_EQ(out.clamp_max, 40);
}

TEST(ProductBlockRows, CoverTheRowsWhateverTheThreads) {
  for (const Index rows : {0, 1, 17, 1000, 100000}) {
    for (const Index n : {0, 1, 64, 1 << 20}) {
      for (const int threads : {1, 2, 64}) {
        EXPECT_GE(product_block_rows(rows, n, threads), 16);
        EXPECT_EQ(product_block_rows(rows, n, threads) % 16, 0);
      }
    }
  }
}

}  // namespace
}  // namespace assay::runtime
