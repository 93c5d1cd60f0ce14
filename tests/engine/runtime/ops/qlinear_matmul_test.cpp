// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/random_matmul.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/oracle/requantize.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;
using test::RandomMatmul;
using test::Setting;

struct QMatmul {
  RandomMatmul matmul;
  std::vector<float> a_scales;  // one, or one per row of every matrix
  std::vector<float> b_scales;  // one, or one per column
  float y_scale = 1;
  oracle::OutputType y;
  bool y_signed = false;

  NodeRun run(bool weights_computed) const {
    const Shape a_shape = matmul.a_batch.empty() ? Shape{matmul.m} : test::with_matrix(matmul.a_batch, matmul.m, 1);
    return {
        .op_type = "QLinearMatMul",
        .inputs = {matmul.a, Tensor::from(a_scales.size() == 1 ? Shape{} : a_shape, a_scales), matmul.a_zero_point(),
                   matmul.b, Tensor::from(b_scales.size() == 1 ? Shape{} : Shape{matmul.n}, b_scales),
                   matmul.b_zero_point(), Tensor::scalar(y_scale), test::zero_point_tensor(y.zero_point, y_signed)},
        .computed = {true, false, false, weights_computed}};
  }
  Tensor expected(Arithmetic arithmetic) const {
    oracle::Integers values = matmul.sums(arithmetic);
    const auto m = static_cast<std::size_t>(matmul.m);
    const auto n = static_cast<std::size_t>(matmul.n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = matmul.products[i / (m * n)].first * m + i / n % m;
      const float a_scale = a_scales[a_scales.size() == 1 ? 0 : row];
      const float b_scale = b_scales[b_scales.size() == 1 ? 0 : i % n];
      values[i] = oracle::requantize(values[i], oracle::output_scale(a_scale, b_scale, y_scale), y);
    }
    return test::byte_tensor(matmul.output_shape(), values, y_signed);
  }
};

std::vector<float> random_scales(Random& random, std::size_t count) {
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(random.uniform(0.001F, 0.1F));
  }
  return out;
}

QMatmul random_qmatmul(Random& random) {
  QMatmul out;
  out.matmul = test::random_matmul(random);
  const auto rows = static_cast<std::size_t>(out.matmul.a.size() / out.matmul.k);
  out.a_scales = random_scales(random, random.chance(0.3) ? rows : 1);
  out.b_scales = random_scales(random, random.chance(0.5) ? static_cast<std::size_t>(out.matmul.n) : 1);
  out.y_scale = random.uniform(0.05F, 1.0F);
  out.y_signed = random.chance(0.3) ? !out.matmul.a_signed : out.matmul.a_signed;
  const std::int32_t low = out.y_signed ? -128 : 0;
  out.y = {.zero_point = static_cast<std::int32_t>(random.integer(low, low + 255)), .min = low, .max = low + 255};
  return out;
}

TEST(QLinearMatMul, EqualsTheNaiveSumInEveryProfile) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const QMatmul matmul = random_qmatmul(random);
    const NodeRun run = matmul.run(random.chance(0.3));
    test::PerArithmetic<Tensor> expected;
    for (const Setting& setting : test::all_settings()) {
      SCOPED_TRACE("trial " + std::to_string(trial) + " " + test::setting_text(setting));
      const auto outcome = test::run_node(run, setting);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      const Arithmetic arithmetic = matmul.matmul.arithmetic(setting.profile);
      const Tensor& wanted = expected.get(arithmetic, [&](Arithmetic a) { return matmul.expected(a); });
      ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], wanted));
      EXPECT_EQ(outcome.value().saturates, arithmetic == Arithmetic::kSat16Pairs);
    }
  }
}

TEST(QLinearMatMul, ParametersPerColumnOfEveryMatrix) {
  NodeRun run{
      .op_type = "QLinearMatMul",
      .inputs = {Tensor::from<std::int8_t>({2, 1, 1}, {1, 1}), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0),
                 Tensor::from<std::int8_t>({2, 1, 2}, {10, 10, 10, 10}), Tensor::from<float>({2, 1, 2}, {1, 2, 3, 4}),
                 Tensor::from<std::int8_t>({2, 1, 2}, {0, 1, 2, 3}), Tensor::scalar(1.0F),
                 Tensor::scalar<std::int8_t>(0)}};
  const auto outcome = test::run_node(run, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome.value().outputs[0].to_indices(), (std::vector<Index>{10, 18, 24, 28}));
}

TEST(QLinearMatMul, FusedClampLimitsTheOutput) {
  NodeRun run{
      .op_type = "QLinearMatMul",
      .domain = kAssayDomain,
      .inputs = {Tensor::from<std::uint8_t>({1, 1}, {10}), Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(0),
                 Tensor::from<std::int8_t>({1, 3}, {-10, 1, 10}), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0),
                 Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(100)}};
  run.attributes["clamp_min"] = Index{100};
  run.attributes["clamp_max"] = Index{150};
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].to_indices(), (std::vector<Index>{100, 110, 150}));
}

TEST(QLinearMatMul, EmptyContractionGivesTheZeroPoint) {
  NodeRun run{
      .op_type = "QLinearMatMul",
      .inputs = {Tensor::allocate(DType::kUint8, {2, 0}).value(), Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(3),
                 Tensor::allocate(DType::kInt8, {0, 2}).value(), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0),
                 Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(7)}};
  EXPECT_EQ(test::run_node(run, {}).value().outputs[0].to_indices(), std::vector<Index>(4, 7));
}

TEST(QLinearMatMul, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  const NodeRun good{
      .op_type = "QLinearMatMul",
      .inputs = {Tensor::from<std::uint8_t>({2, 1}, {1, 1}), Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(0),
                 Tensor::from<std::int8_t>({1, 2}, {1, 1}), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0),
                 Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(0)}};
  NodeRun run = good;
  run.inputs[4] = Tensor::from<float>({3}, {1, 1, 1});
  EXPECT_THAT(test::refusal(run), HasSubstr("b_scale has one element, [2] or [1,2]; found [3]"));
  run = good;
  run.inputs[6] = Tensor::from<float>({2}, {1, 1});
  EXPECT_THAT(test::refusal(run), HasSubstr("y_scale has one element, found float32[2]"));
  run = good;
  run.inputs[1] = Tensor::scalar<std::uint8_t>(1);
  EXPECT_THAT(test::refusal(run), HasSubstr("a_scale is float32, found uint8[]"));
  run = good;
  run.inputs.pop_back();
  EXPECT_THAT(test::refusal(run), HasSubstr("input 7 is missing"));
}

}  // namespace
}  // namespace assay
