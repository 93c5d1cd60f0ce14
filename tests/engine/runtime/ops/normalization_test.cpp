// SPDX-License-Identifier: Apache-2.0
// Softmax and BatchNormalization.
#include <limits>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

std::vector<double> softmax_reference(const Tensor& x, Index outer, Index length, Index inner) {
  const auto in = x.to_doubles();
  std::vector<double> out(in.size());
  const auto at = [&](Index o, Index i, Index n) { return static_cast<std::size_t>((o * length + i) * inner + n); };
  for (Index o = 0; o < outer; ++o) {
    for (Index n = 0; n < inner; ++n) {
      double sum = 0;
      for (Index i = 0; i < length; ++i) {
        sum += std::exp(in[at(o, i, n)]);
      }
      for (Index i = 0; i < length; ++i) {
        out[at(o, i, n)] = std::exp(in[at(o, i, n)]) / sum;
      }
    }
  }
  return out;
}

TEST(Softmax, WorksAlongTheAxisFromOpset13) {
  Random random(30);
  const Tensor x = random_floats(random, {2, 3, 4});
  const auto run = [&x](AttributeMap attributes) {
    return run_one({.op_type = "Softmax", .attributes = std::move(attributes), .inputs = {x}});
  };
  expect_close(run({}), {2, 3, 4}, softmax_reference(x, 6, 4, 1), 1e-6);
  expect_close(run({{"axis", Index{1}}}), {2, 3, 4}, softmax_reference(x, 2, 3, 4), 1e-6);
  expect_close(run({{"axis", Index{-3}}}), {2, 3, 4}, softmax_reference(x, 1, 2, 12), 1e-6);
}

TEST(Softmax, FlattensBeforeOpset13) {
  Random random(31);
  const Tensor x = random_floats(random, {2, 3, 4});
  const auto run = [&x](AttributeMap attributes) {
    return run_one({.op_type = "Softmax", .attributes = std::move(attributes), .inputs = {x}, .opset = 12});
  };
  expect_close(run({}), {2, 3, 4}, softmax_reference(x, 2, 12, 1), 1e-6);
  expect_close(run({{"axis", Index{2}}}), {2, 3, 4}, softmax_reference(x, 6, 4, 1), 1e-6);
  expect_close(run({{"axis", Index{0}}}), {2, 3, 4}, softmax_reference(x, 1, 24, 1), 1e-6);
}

TEST(Softmax, DoesNotOverflow) {
  const Tensor x = Tensor::from<float>({2}, {10000, 10001});
  expect_close(run_one({.op_type = "Softmax", .inputs = {x}}), {2}, {0.2689414, 0.7310586}, 1e-6);
  expect_close(run_one({.op_type = "Softmax", .inputs = {Tensor::from<float>({2}, {0, 1000})}}), {2}, {0, 1}, 1e-6);
  EXPECT_EQ(run_one({.op_type = "Softmax", .inputs = {Tensor::allocate(DType::kFloat32, {2, 0}).value()}}).shape(),
            (Shape{2, 0}));
  EXPECT_EQ(refusal({.op_type = "Softmax", .attributes = {{"axis", Index{1}}}, .inputs = {x}}),
            "axis: axis 1 is outside [-1, 0]");
}

TEST(BatchNormalization, NormalizesPerChannel) {
  Random random(32);
  const Tensor x = random_floats(random, {2, 3, 2, 2});
  const Tensor scale = Tensor::from<float>({3}, {1, 2, -0.5F});
  const Tensor bias = Tensor::from<float>({3}, {0, 1, 2});
  const Tensor mean = Tensor::from<float>({3}, {0.5F, -1, 0});
  const Tensor variance = Tensor::from<float>({3}, {1, 0.25F, 4});
  std::vector<double> expected = x.to_doubles();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t c = i / 4 % 3;
    expected[i] =
        (expected[i] - mean.to_doubles()[c]) / std::sqrt(variance.to_doubles()[c] + 0.125) * scale.to_doubles()[c] +
        bias.to_doubles()[c];
  }
  const NodeRun run{
      .op_type = "BatchNormalization", .attributes = {{"epsilon", 0.125F}}, .inputs = {x, scale, bias, mean, variance}};
  expect_close(run_one(run), {2, 3, 2, 2}, expected, 1e-5);
}

TEST(BatchNormalization, RefusesTrainingAndShapes) {
  const auto zeros = [](const Shape& shape) { return Tensor::allocate(DType::kFloat32, shape).value(); };
  NodeRun run{.op_type = "BatchNormalization",
              .inputs = {zeros({1, 3, 2}), zeros({3}), zeros({3}), zeros({3}), zeros({2})},
              .opset = 15};
  EXPECT_EQ(refusal(run), "input_var must have the shape [3], one value per channel of X [1,3,2]; found [2]");
  run.attributes = {{"training_mode", Index{1}}};
  EXPECT_EQ(refusal(run),
            "BatchNormalization node 'node' (opset 15): training_mode must be 0: only inference is computed");
  run.attributes = {{"spatial", Index{0}}};
  EXPECT_EQ(refusal(run),
            "BatchNormalization node 'node' (opset 15): spatial must be 1: statistics per activation are not computed");
  run.attributes = {};
  run.outputs = 3;
  EXPECT_EQ(refusal(run),
            "BatchNormalization node 'node' (opset 15): output 1 ('output1') is not computed; only output 0 is");
}

}  // namespace
}  // namespace assay::test
