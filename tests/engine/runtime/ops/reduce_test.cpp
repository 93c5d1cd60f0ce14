// SPDX-License-Identifier: Apache-2.0
// Reductions: axes in every place, nothing to reduce, large sums, integers.
#include <cmath>
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

Tensor counting(const Shape& shape) {
  Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
  for (Index i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i);
  }
  return tensor;
}

Tensor reduce(const std::string& op, const Tensor& x, const std::vector<Index>& axes, bool keepdims = false) {
  return run_one(
      {.op_type = op, .attributes = {{"axes", axes}, {"keepdims", Index{keepdims}}}, .inputs = {x}, .opset = 12});
}

// Element (a, b, c) of counting({2, 3, 4}) is 12 a + 4 b + c.
TEST(Reduce, SumsOverEverySetOfAxes) {
  const Tensor x = counting({2, 3, 4});
  for (unsigned set = 1; set < 8; ++set) {
    std::vector<Index> axes;
    for (Index axis = 0; axis < 3; ++axis) {
      if ((set >> axis & 1U) != 0) {
        axes.push_back(axis - 3);  // negative ones name the same
      }
    }
    std::vector<double> expected(static_cast<std::size_t>(24), 0);
    Shape kept = {2, 3, 4};
    for (const Index axis : axes) {
      kept[static_cast<std::size_t>(axis + 3)] = 1;
    }
    for (Index i = 0; i < 24; ++i) {
      const Index at[3] = {i / 12 % kept[0], i / 4 % 3 % kept[1], i % 4 % kept[2]};
      expected[static_cast<std::size_t>((at[0] * kept[1] + at[1]) * kept[2] + at[2])] += static_cast<double>(i);
    }
    const Tensor y = reduce("ReduceSum", x, axes, true);
    ASSERT_EQ(y.shape(), kept);
    for (std::size_t i = 0; i < static_cast<std::size_t>(y.size()); ++i) {
      EXPECT_EQ(static_cast<double>(y.data<float>()[i]), expected[i]) << "axes " << shape_text(axes) << " at " << i;
    }
  }
}

TEST(Reduce, OfNothingIsTheNeutralElement) {
  const Tensor none = counting({2, 0});
  EXPECT_EQ(reduce("ReduceSum", none, {1}).data<float>()[1], 0);
  EXPECT_EQ(reduce("ReduceProd", none, {1}).data<float>()[1], 1);
  EXPECT_EQ(reduce("ReduceMax", none, {1}).data<float>()[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(reduce("ReduceMean", none, {1}).data<float>()[1]));
}

TEST(Reduce, EmptyAxesMeanAllUnlessTheyMeanNone) {
  const Tensor x = counting({2, 2});
  const Tensor empty = Tensor::from<Index>({0}, {});
  const auto run = [&](Index noop) {
    return run_one({.op_type = "ReduceSum",
                    .attributes = {{"noop_with_empty_axes", noop}, {"keepdims", Index{0}}},
                    .inputs = {x, empty},
                    .opset = 13});
  };
  EXPECT_TRUE(bytes_equal(run(0), Tensor::scalar(6.0F)));
  EXPECT_TRUE(bytes_equal(run(1), x));
}

TEST(Reduce, KeepsLargeSumsExact) {
  // 2^24 + 1 is no float, so a float sum would lose every one.
  std::vector<float> values(1025, 1.0F);
  values[0] = 0x1p24F;
  const Tensor x = Tensor::from<float>({1025}, values);
  EXPECT_EQ(reduce("ReduceSum", x, {0}).data<float>()[0], 0x1p24F + 1024.0F);
  const Tensor big = Tensor::from<float>({2}, {1000, 1000});
  EXPECT_NEAR(static_cast<double>(reduce("ReduceLogSumExp", big, {0}).data<float>()[0]), 1000.6931, 1e-3);
}

TEST(Reduce, IntegersStayIntegers) {
  const Tensor x = Tensor::from<std::int32_t>({3}, {-7, 2, -1});
  EXPECT_TRUE(bytes_equal(reduce("ReduceL1", x, {0}), Tensor::scalar(std::int32_t{10})));
  EXPECT_TRUE(bytes_equal(reduce("ReduceMean", x, {0}), Tensor::scalar(std::int32_t{-2})));
  EXPECT_TRUE(bytes_equal(reduce("ReduceMin", x, {0}), Tensor::scalar(std::int32_t{-7})));
}

TEST(ArgMax, TakesTheFirstOrTheLast) {
  const Tensor x = Tensor::from<float>({4}, {1, 3, 3, 0});
  const auto run = [&](Index last) {
    return run_one({.op_type = "ArgMax", .attributes = {{"select_last_index", last}}, .inputs = {x}}).data<Index>()[0];
  };
  EXPECT_EQ(run(0), 1);
  EXPECT_EQ(run(1), 2);
}

}  // namespace
}  // namespace assay::test
