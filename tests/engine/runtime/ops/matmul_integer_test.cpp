// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/random_matmul.h"
#include "tests/engine/runtime/ops/run_node.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;
using test::RandomMatmul;
using test::Setting;

TEST(MatMulInteger, EqualsTheNaiveSumInEveryProfile) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const RandomMatmul matmul = test::random_matmul(random);
    const NodeRun run{.op_type = "MatMulInteger",
                      .inputs = {matmul.a, matmul.b, matmul.a_zero_point(), matmul.b_zero_point()},
                      .computed = {true, random.chance(0.3)}};
    test::PerArithmetic<Tensor> expected;
    for (const Setting& setting : test::all_settings()) {
      SCOPED_TRACE("trial " + std::to_string(trial) + " " + test::setting_text(setting));
      const auto outcome = test::run_node(run, setting);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      const Arithmetic arithmetic = matmul.arithmetic(setting.profile);
      const Tensor& wanted =
          expected.get(arithmetic, [&](Arithmetic a) { return Tensor::from(matmul.output_shape(), matmul.sums(a)); });
      ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], wanted));
      const bool saturates = arithmetic == Arithmetic::kSat16Pairs;
      EXPECT_EQ(outcome.value().saturates, saturates);
      EXPECT_EQ(outcome.value().kernel.arithmetic, saturates ? "sat16-pairs" : "exact");
      EXPECT_EQ(outcome.value().kernel.native, can_run(setting.features, setting.profile.isa));
      const Index products = static_cast<Index>(matmul.products.size());
      EXPECT_EQ(outcome.value().multiply_accumulates, products * matmul.m * matmul.n * matmul.k);
    }
  }
}

TEST(MatMulInteger, VectorsLoseTheirDimension) {
  NodeRun run{
      .op_type = "MatMulInteger",
      .inputs = {Tensor::from<std::uint8_t>({3}, {1, 2, 3}), Tensor::from<std::int8_t>({3, 2}, {1, -1, 2, -2, 3, -3})}};
  Tensor y = test::run_node(run, {}).value().outputs[0];
  EXPECT_EQ(y.shape(), (Shape{2}));
  EXPECT_EQ(y.to_indices(), (std::vector<Index>{14, -14}));
  run.inputs = {Tensor::from<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::from<std::int8_t>({3}, {1, 0, -1})};
  y = test::run_node(run, {}).value().outputs[0];
  EXPECT_EQ(y.shape(), (Shape{2}));
  EXPECT_EQ(y.to_indices(), (std::vector<Index>{-2, -2}));
  run.inputs[0] = Tensor::from<std::uint8_t>({3}, {1, 2, 3});
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].shape(), Shape{});
}

// More rows than one block of work holds.
TEST(MatMulInteger, SplitsManyRowsIntoBlocks) {
  Random random(2);
  RandomMatmul matmul;
  matmul.m = 3000;
  matmul.k = 9;
  matmul.n = 50;
  matmul.products = {{0, 0}};
  matmul.a = test::random_byte_tensor(random, {3000, 9}, false);
  matmul.b = test::random_byte_tensor(random, {9, 50}, true);
  matmul.a_zero_points = test::random_bytes(random, 3000, false);
  matmul.b_zero_points = test::random_bytes(random, 50, true);
  const NodeRun run{.op_type = "MatMulInteger",
                    .inputs = {matmul.a, matmul.b, matmul.a_zero_point(), matmul.b_zero_point()},
                    .computed = {true}};
  for (const int threads : {1, 2, 5}) {
    const Setting setting{.profile = {Isa::kAvx2, Precision::kFast}, .threads = threads};
    const auto outcome = test::run_node(run, setting);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_TRUE(
        bytes_equal(outcome.value().outputs[0], Tensor::from(Shape{3000, 50}, matmul.sums(Arithmetic::kSat16Pairs))));
  }
}

TEST(MatMulInteger, WitnessCountsThePairsOfEveryProduct) {
  Random random(3);
  RandomMatmul matmul;
  matmul.m = 5;
  matmul.k = 7;
  matmul.n = 6;
  matmul.b_batch = {2};
  matmul.products = {{0, 0}, {0, 1}};
  matmul.a = test::random_byte_tensor(random, {5, 7}, false);
  matmul.b = test::random_byte_tensor(random, {2, 7, 6}, true);
  matmul.a_zero_points = {0};
  matmul.b_zero_points = {0};
  const Setting setting{.profile = {Isa::kAvx2, Precision::kFast}, .witness = true};
  oracle::PairCounts expected;
  for (std::size_t i = 0; i < 2; ++i) {
    const oracle::PairCounts counts = oracle::count_pairs(matmul.args(i, Arithmetic::kSat16Pairs));
    expected.pairs += counts.pairs;
    expected.saturated += counts.saturated;
    expected.largest_loss = std::max(expected.largest_loss, counts.largest_loss);
  }
  const auto outcome =
      test::run_node({.op_type = "MatMulInteger", .inputs = {matmul.a, matmul.b}, .computed = {true}}, setting);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_GT(expected.saturated, 0U);
  EXPECT_EQ(outcome.value().saturation.pairs, expected.pairs);
  EXPECT_EQ(outcome.value().saturation.saturated, expected.saturated);
  EXPECT_EQ(outcome.value().saturation.largest_loss, expected.largest_loss);
}

TEST(MatMulInteger, EmptyDimensions) {
  const auto run = [](const Shape& a, const Shape& b, const Setting& setting) {
    return test::run_node(
               {.op_type = "MatMulInteger",
                .inputs = {Tensor::allocate(DType::kUint8, a).value(), Tensor::allocate(DType::kInt8, b).value()},
                .computed = {true}},
               setting)
        .value()
        .outputs[0];
  };
  for (const Setting& setting : test::all_settings()) {
    EXPECT_EQ(run({0, 3}, {3, 2}, setting).shape(), (Shape{0, 2}));
    EXPECT_EQ(run({2, 3}, {3, 0}, setting).shape(), (Shape{2, 0}));
    EXPECT_EQ(run({0, 2, 3}, {0, 3, 2}, setting).shape(), (Shape{0, 2, 2}));
    EXPECT_EQ(run({2, 0}, {0, 2}, setting).to_indices(), std::vector<Index>(4, 0));
  }
}

TEST(MatMulInteger, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  const Tensor a = Tensor::allocate(DType::kUint8, {2, 3}).value();
  const Tensor b = Tensor::allocate(DType::kInt8, {3, 2}).value();
  NodeRun run{.op_type = "MatMulInteger", .inputs = {a, a}};
  EXPECT_THAT(test::refusal(run), HasSubstr("A has as many columns as B has rows; found A [2,3], B [2,3]"));
  run.inputs = {a, b, Tensor::from<std::uint8_t>({3}, {0, 0, 0})};
  EXPECT_THAT(test::refusal(run), HasSubstr("a_zero_point has one element, [2] or [2,1]; found [3]"));
  run.inputs = {a, b, Tensor::scalar<std::uint8_t>(0), Tensor::from<std::int8_t>({3}, {0, 0, 0})};
  EXPECT_THAT(test::refusal(run), HasSubstr("b_zero_point has one element, [2] or [1,2]; found [3]"));
  run.inputs = {a, Tensor::scalar<std::int8_t>(0)};
  EXPECT_THAT(test::refusal(run), HasSubstr("at least one dimension"));
  run.inputs = {Tensor::allocate(DType::kUint8, {2, 2, 3}).value(), Tensor::allocate(DType::kInt8, {3, 3, 2}).value()};
  EXPECT_THAT(test::refusal(run), HasSubstr("the batch dimensions of A and B broadcast"));
  run.inputs = {Tensor::allocate(DType::kFloat32, {2, 3}).value(), b};
  EXPECT_THAT(test::refusal(run), HasSubstr("A is int8 or uint8, found float32[2,3]"));
}

}  // namespace
}  // namespace assay
