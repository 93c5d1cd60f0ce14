// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/engine/runtime/ops/quantized_data.h"
#include "tests/engine/runtime/ops/run_node.h"
#include "tests/support/oracle/matmul.h"
#include "tests/support/oracle/requantize.h"

namespace assay {
namespace {

using test::NodeRun;
using test::Random;
using test::Setting;

enum class Bias { kNone, kRow, kWhole, kColumn, kScalar };

struct Gemm {
  oracle::MatmulArgs args;
  bool a_signed = false;
  bool b_signed = true;
  bool transpose_a = false;
  bool transpose_b = false;
  float alpha = 1;
  float a_scale = 0.01F;
  std::vector<float> b_scales;  // one, or one per column
  Bias bias_form = Bias::kNone;
  oracle::Integers bias;
  bool float_output = false;
  float y_scale = 0.5F;
  oracle::OutputType y;

  std::size_t column(std::size_t i) const { return i % static_cast<std::size_t>(args.n); }
  std::int32_t bias_at(std::size_t i) const {
    switch (bias_form) {
      case Bias::kNone:
        return 0;
      case Bias::kRow:
        return bias[column(i)];
      case Bias::kWhole:
        return bias[i];
      case Bias::kColumn:
        return bias[i / static_cast<std::size_t>(args.n)];
      case Bias::kScalar:
        return bias[0];
    }
    return 0;
  }
  Shape bias_shape() const {
    switch (bias_form) {
      case Bias::kRow:
        return {args.n};
      case Bias::kWhole:
        return {args.m, args.n};
      case Bias::kColumn:
        return {args.m, 1};
      default:
        return {};
    }
  }
  Tensor expected(Arithmetic arithmetic) const {
    oracle::MatmulArgs product = args;
    product.arithmetic = arithmetic;
    oracle::Integers values = oracle::matmul(product);
    std::vector<float> floats;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int32_t v = oracle::wrap_to_int32(std::int64_t{values[i]} + bias_at(i));
      const float b_scale = b_scales[b_scales.size() == 1 ? 0 : column(i)];
      floats.push_back(static_cast<float>(v) * (alpha * a_scale * b_scale));
      values[i] = oracle::requantize(v, alpha * a_scale * b_scale / y_scale, y);
    }
    const Shape shape = {args.m, args.n};
    return float_output ? Tensor::from(shape, floats) : test::byte_tensor(shape, values, a_signed);
  }
  NodeRun run() const {
    const auto operand = [](const oracle::Integers& values, Shape shape, bool is_signed, bool transposed) {
      oracle::Integers stored = values;
      const auto rows = static_cast<std::size_t>(shape[0]);
      const auto columns = static_cast<std::size_t>(shape[1]);
      for (std::size_t i = 0; transposed && i < stored.size(); ++i) {
        stored[i % columns * rows + i / columns] = values[i];
      }
      return test::byte_tensor(transposed ? Shape{shape[1], shape[0]} : shape, stored, is_signed);
    };
    const auto zero_points = [](const oracle::Integers& values, bool is_signed) {
      return test::byte_tensor(values.size() == 1 ? Shape{} : Shape{static_cast<Index>(values.size())}, values,
                               is_signed);
    };
    NodeRun out{.op_type = "QGemm", .domain = kMicrosoftDomain};
    out.attributes["transA"] = Index{transpose_a};
    out.attributes["transB"] = Index{transpose_b};
    out.attributes["alpha"] = alpha;
    out.inputs = {operand(args.a, {args.m, args.k}, a_signed, transpose_a),
                  Tensor::scalar(a_scale),
                  zero_points(args.a_zero_points, a_signed),
                  operand(args.b, {args.k, args.n}, b_signed, transpose_b),
                  Tensor::from(b_scales.size() == 1 ? Shape{} : Shape{args.n}, b_scales),
                  zero_points(args.b_zero_points, b_signed),
                  bias_form == Bias::kNone ? Tensor() : Tensor::from(bias_shape(), bias)};
    if (!float_output) {
      out.inputs.push_back(Tensor::scalar(y_scale));
      out.inputs.push_back(test::zero_point_tensor(y.zero_point, a_signed));
    }
    out.computed = {true};
    return out;
  }
};

Gemm random_gemm(Random& random) {
  Gemm out;
  oracle::MatmulArgs& args = out.args;
  args.m = random.integer(1, 20);
  args.k = random.integer(1, 40);
  args.n = random.integer(2, 30);
  out.a_signed = random.chance(0.3);
  out.b_signed = random.chance(0.7);
  out.transpose_a = random.chance(0.4);
  out.transpose_b = random.chance(0.5);
  out.alpha = random.chance(0.5) ? 1 : random.uniform(0.1F, 3.0F);
  args.a = test::random_bytes(random, args.m * args.k, out.a_signed);
  args.b = test::random_bytes(random, args.k * args.n, out.b_signed);
  args.a_zero_points = test::random_bytes(random, 1, out.a_signed);
  args.b_zero_points = test::random_bytes(random, random.chance(0.3) ? args.n : 1, out.b_signed);
  const Index scales = random.chance(0.5) ? args.n : 1;
  for (Index j = 0; j < scales; ++j) {
    out.b_scales.push_back(random.uniform(0.001F, 0.1F));
  }
  out.bias_form = static_cast<Bias>(random.integer(0, 4));
  const Index biases = element_count(out.bias_shape()).value();
  for (Index i = 0; out.bias_form != Bias::kNone && i < biases; ++i) {
    out.bias.push_back(static_cast<std::int32_t>(random.integer(-100000, 100000)));
  }
  out.float_output = random.chance(0.3);
  const std::int32_t low = out.a_signed ? -128 : 0;
  out.y = {.zero_point = static_cast<std::int32_t>(random.integer(low, low + 255)), .min = low, .max = low + 255};
  return out;
}

TEST(QGemm, EqualsTheNaiveSumInEveryProfile) {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const Gemm gemm = random_gemm(random);
    const NodeRun run = gemm.run();
    test::PerArithmetic<Tensor> expected;
    for (const Setting& setting : test::all_settings()) {
      SCOPED_TRACE("trial " + std::to_string(trial) + " " + test::setting_text(setting));
      const auto outcome = test::run_node(run, setting);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      const Arithmetic arithmetic =
          !gemm.a_signed && gemm.b_signed ? u8s8_arithmetic(setting.profile) : Arithmetic::kExact;
      const Tensor& wanted = expected.get(arithmetic, [&](Arithmetic a) { return gemm.expected(a); });
      ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], wanted));
    }
  }
}

TEST(QGemm, FusedClampLimitsTheOutput) {
  Random random(2);
  Gemm gemm = random_gemm(random);
  gemm.float_output = false;
  gemm.bias_form = Bias::kNone;
  NodeRun run = gemm.run();
  run.domain = kAssayDomain;
  gemm.y.min = gemm.y.zero_point - 3;
  gemm.y.max = gemm.y.zero_point + 2;
  run.attributes["clamp_min"] = Index{gemm.y.min};
  run.attributes["clamp_max"] = Index{gemm.y.max};
  const auto outcome = test::run_node(run, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(bytes_equal(outcome.value().outputs[0], gemm.expected(Arithmetic::kExact)));
}

TEST(QGemm, NamesTheOperandThatIsWrong) {
  using testing::HasSubstr;
  const NodeRun good{
      .op_type = "QGemm",
      .domain = kMicrosoftDomain,
      .inputs = {Tensor::from<std::uint8_t>({1, 2}, {1, 1}), Tensor::scalar(1.0F), Tensor::scalar<std::uint8_t>(0),
                 Tensor::from<std::int8_t>({2, 1}, {1, 1}), Tensor::scalar(1.0F), Tensor::scalar<std::int8_t>(0)}};
  EXPECT_EQ(test::refusal(good), "");
  NodeRun run = good;
  run.inputs[3] = Tensor::from<std::int8_t>({3, 1}, {1, 1, 1});
  EXPECT_THAT(test::refusal(run), HasSubstr("A has as many columns as B has rows; found A [1,2], B [3,1]"));
  run = good;
  run.inputs[0] = Tensor::from<std::uint8_t>({1, 1, 2}, {1, 1});
  EXPECT_THAT(test::refusal(run), HasSubstr("A and B are matrices; found A [1,1,2], B [2,1]"));
  run = good;
  run.inputs.push_back(Tensor::from<std::int32_t>({3}, {1, 1, 1}));
  EXPECT_THAT(test::refusal(run), HasSubstr("C broadcasts to [1,1]; found [3]"));
  run.inputs.back() = Tensor::scalar(1.0F);
  EXPECT_THAT(test::refusal(run), HasSubstr("C is int32, found float32[]"));
}

}  // namespace
}  // namespace assay
