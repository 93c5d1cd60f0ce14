// SPDX-License-Identifier: Apache-2.0
// Resize, ConvTranspose, Einsum and the recurrent layers against plain references in double.
#include <cmath>

#include "tests/engine/runtime/ops/float_data.h"

namespace assay::test {
namespace {

Tensor list(const std::vector<Index>& values) {
  return Tensor::from<Index>({static_cast<Index>(values.size())}, values);
}

Tensor resize(const Tensor& x, const AttributeMap& attributes, const std::vector<Index>& sizes) {
  return run_one(
      {.op_type = "Resize", .attributes = attributes, .inputs = {x, Tensor(), Tensor(), list(sizes)}, .opset = 19});
}

TEST(Resize, NearestRoundsAsItIsTold) {
  const Tensor x = Tensor::from<std::int8_t>({1, 1, 2}, {1, 2});
  const auto run = [&](const std::string& mode) {
    return resize(x, {{"coordinate_transformation_mode", std::string("asymmetric")}, {"nearest_mode", mode}},
                  {1, 1, 4});  // reads at 0, 0.5, 1, 1.5
  };
  EXPECT_TRUE(bytes_equal(run("floor"), Tensor::from<std::int8_t>({1, 1, 4}, {1, 1, 2, 2})));
  EXPECT_TRUE(bytes_equal(run("round_prefer_floor"), Tensor::from<std::int8_t>({1, 1, 4}, {1, 1, 2, 2})));
  EXPECT_TRUE(bytes_equal(run("ceil"), Tensor::from<std::int8_t>({1, 1, 4}, {1, 2, 2, 2})));
  EXPECT_TRUE(bytes_equal(run("round_prefer_ceil"), Tensor::from<std::int8_t>({1, 1, 4}, {1, 2, 2, 2})));
  EXPECT_EQ(
      refusal({.op_type = "Resize", .attributes = {{"nearest_mode", std::string("up")}}, .inputs = {x}}),
      "Resize node 'node' (opset 13): nearest_mode must be one of round_prefer_floor, round_prefer_ceil, floor, ceil; "
      "found 'up'");
}

TEST(Resize, LinearWithAlignedCornersIsExactOnALine) {
  const Tensor x = Tensor::from<float>({1, 1, 3}, {0, 10, 20});
  const Tensor y =
      resize(x, {{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string("align_corners")}},
             {1, 1, 5});
  EXPECT_TRUE(bytes_equal(y, Tensor::from<float>({1, 1, 5}, {0, 5, 10, 15, 20})));
}

TEST(Resize, CubicReproducesAConstant) {
  const Tensor x = Tensor::from<float>({1, 1, 4}, {3, 3, 3, 3});
  const Tensor y = resize(x, {{"mode", std::string("cubic")}, {"exclude_outside", Index{1}}}, {1, 1, 9});
  expect_close(y, {1, 1, 9}, std::vector<double>(9, 3.0), 1e-5);
}

TEST(Resize, NearestMovesEveryElementToItsPlace) {
  Random random(34);
  SCOPED_TRACE("seed 34");
  for (int round = 0; round < 40; ++round) {
    const Shape shape = {random.integer(1, 3), random.integer(1, 4), random.integer(1, 30), random.integer(1, 40)};
    const std::vector<Index> sizes = {shape[0], random.integer(1, 6), random.integer(1, 70), random.integer(1, 90)};
    std::vector<std::int16_t> elements;
    for (Index i = 0; i < shape[0] * shape[1] * shape[2] * shape[3]; ++i) {
      elements.push_back(static_cast<std::int16_t>(random.integer(-3000, 3000)));
    }
    const auto outcome = run_node({.op_type = "Resize",
                                   .attributes = {{"coordinate_transformation_mode", std::string("asymmetric")},
                                                  {"nearest_mode", std::string("floor")}},
                                   .inputs = {Tensor::from(shape, elements), Tensor(), Tensor(), list(sizes)},
                                   .opset = 19},
                                  {.threads = 1 + round % 2});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    const Tensor& y = outcome.value().outputs[0];
    ASSERT_EQ(y.shape(), sizes);
    const auto source = [&](Index at, std::size_t axis) {  // the formula of the standard, in its own arithmetic
      const double scale = static_cast<double>(sizes[axis]) / static_cast<double>(shape[axis]);
      return std::min(static_cast<Index>(std::floor(static_cast<double>(at) / scale)), shape[axis] - 1);
    };
    for (Index flat = 0; flat < y.size(); ++flat) {
      const Index w = source(flat % sizes[3], 3);
      const Index h = source(flat / sizes[3] % sizes[2], 2);
      const Index c = source(flat / sizes[3] / sizes[2] % sizes[1], 1);
      const Index n = flat / sizes[3] / sizes[2] / sizes[1];
      ASSERT_EQ(y.data<std::int16_t>()[static_cast<std::size_t>(flat)],
                elements[static_cast<std::size_t>(((n * shape[1] + c) * shape[2] + h) * shape[3] + w)])
          << "round " << round << " element " << flat;
    }
  }
}

// Both axes are blended in one pass; their sums are those of one axis after the other.
TEST(Resize, LinearOfTwoAxesIsOneAfterTheOther) {
  Random random(33);
  SCOPED_TRACE("seed 33");
  for (int round = 0; round < 60; ++round) {
    const char* modes[] = {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"};
    const AttributeMap attributes = {{"mode", std::string("linear")},
                                     {"coordinate_transformation_mode", std::string(modes[round % 4])}};
    const Shape shape = {random.integer(1, 2), random.integer(1, 5), random.integer(1, 9), random.integer(1, 20)};
    const Index height = random.integer(1, 19);
    const Index width = random.integer(1, 40);
    const Tensor floats = random_floats(random, shape);
    const Tensor x = round % 3 == 0 ? Tensor::from(shape, floats.to_doubles()) : floats;
    const Tensor rows = resize(x, attributes, {shape[0], shape[1], height, shape[3]});
    const Tensor expected = resize(rows, attributes, {shape[0], shape[1], height, width});
    for (const int threads : {1, 2}) {
      const auto outcome = run_node({.op_type = "Resize",
                                     .attributes = attributes,
                                     .inputs = {x, Tensor(), Tensor(), list({shape[0], shape[1], height, width})},
                                     .opset = 19},
                                    {.threads = threads});
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      ASSERT_TRUE(bytes_equal(outcome.value().outputs[0], expected)) << "round " << round << " threads " << threads;
    }
  }
}

// y[n, m, o] = b[m] + sum over c, i, k with o = i * stride + k * dilation - pad of x[n, c, i] w[c, m, k].
TEST(ConvTranspose, MatchesTheDefinition) {
  Random random(31);
  SCOPED_TRACE("seed 31");
  for (const Index dilation : {1, 2}) {
    const Tensor x = random_floats(random, {2, 4, 5, 3});
    const Tensor w = random_floats(random, {4, 3, 3, 2});
    const Tensor b = random_floats(random, {6});
    const Index out_h = 4 * 2 + 1 + 2 * dilation + 1 - 1;  // output_padding 1, pads 1 and 0
    const Index out_w = 2 * 3 + dilation + 1 - 2;
    const Tensor y = run_one({.op_type = "ConvTranspose",
                              .attributes = {{"group", Index{2}},
                                             {"strides", std::vector<Index>{2, 3}},
                                             {"dilations", std::vector<Index>{dilation, dilation}},
                                             {"pads", std::vector<Index>{1, 0, 0, 2}},
                                             {"output_padding", std::vector<Index>{1, 0}}},
                              .inputs = {x, w, b}});
    std::vector<double> expected(static_cast<std::size_t>(2 * 6 * out_h * out_w));
    const auto at = [&](Index n, Index m, Index oy, Index ox) -> double& {
      return expected[static_cast<std::size_t>(((n * 6 + m) * out_h + oy) * out_w + ox)];
    };
    for (Index n = 0; n < 2; ++n) {
      for (Index m = 0; m < 6; ++m) {
        for (Index i = 0; i < out_h * out_w; ++i) {
          at(n, m, i / out_w, i % out_w) = static_cast<double>(b.data<float>()[static_cast<std::size_t>(m)]);
        }
        for (Index c = m / 3 * 2; c < m / 3 * 2 + 2; ++c) {
          for (Index i = 0; i < 5 * 3 * 3 * 2; ++i) {
            const Index iy = i / 18;
            const Index ix = i / 6 % 3;
            const Index ky = i / 2 % 3;
            const Index kx = i % 2;
            const Index oy = iy * 2 + ky * dilation - 1;
            const Index ox = ix * 3 + kx * dilation;
            if (oy >= 0 && oy < out_h && ox < out_w) {
              at(n, m, oy, ox) +=
                  static_cast<double>(x.data<float>()[static_cast<std::size_t>(((n * 4 + c) * 5 + iy) * 3 + ix)]) *
                  static_cast<double>(w.data<float>()[static_cast<std::size_t>(((c * 3 + m % 3) * 3 + ky) * 2 + kx)]);
            }
          }
        }
      }
    }
    expect_close(y, {2, 6, out_h, out_w}, expected, 1e-5);
  }
}

TEST(Einsum, MultipliesBatchesDiagonalsAndBroadcasts) {
  const Tensor a = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
  const auto run = [](const std::string& equation, std::vector<Tensor> inputs) {
    return run_one({.op_type = "Einsum", .attributes = {{"equation", equation}}, .inputs = std::move(inputs)});
  };
  EXPECT_TRUE(bytes_equal(run("ij,jk->ki", {a, a}), Tensor::from<float>({2, 2}, {7, 15, 10, 22})));
  EXPECT_TRUE(bytes_equal(run("ii", {a}), Tensor::scalar(5.0F)));
  EXPECT_TRUE(bytes_equal(run("ij->ji", {a}), Tensor::from<float>({2, 2}, {1, 3, 2, 4})));
  EXPECT_TRUE(
      bytes_equal(run("...j,j->...", {a, Tensor::from<float>({2}, {1, 10})}), Tensor::from<float>({2}, {21, 43})));
  EXPECT_TRUE(bytes_equal(run("i,j", {list({1, 2}), list({3, 4})}), Tensor::from<Index>({2, 2}, {3, 4, 6, 8})));
  EXPECT_EQ(refusal({.op_type = "Einsum", .attributes = {{"equation", std::string("ij,jk->il")}}, .inputs = {a, a}}),
            "output label 'l' stands in no operand");
  EXPECT_EQ(refusal({.op_type = "Einsum", .attributes = {{"equation", std::string("ijk")}}, .inputs = {a}}),
            "operand 0 of shape [2,2] has not the 3 dimensions of 'ijk'");
}

// One step from nothing: with zero weights only the biases act.
TEST(Lstm, OrdersGatesAsTheStandardDoes) {
  const Tensor x = Tensor::from<float>({1, 1, 1}, {0});
  const Tensor weights = Tensor::from<float>({1, 4, 1}, {0, 0, 0, 0});
  const Tensor bias = Tensor::from<float>({1, 8}, {1, 2, 3, 4, 0, 0, 0, 0});  // input, output, forget, cell
  const Tensor cell = Tensor::from<float>({1, 1, 1}, {0.5F});
  const auto outcome = run_node({.op_type = "LSTM",
                                 .attributes = {{"hidden_size", Index{1}}},
                                 .inputs = {x, weights, weights, bias, Tensor(), Tensor(), cell},
                                 .opset = 14,
                                 .outputs = 3},
                                {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double c = sigmoid(3) * 0.5 + sigmoid(1) * std::tanh(4.0);
  expect_close(outcome.value().outputs[2], {1, 1, 1}, {c}, 1e-6);
  expect_close(outcome.value().outputs[1], {1, 1, 1}, {sigmoid(2) * std::tanh(c)}, 1e-6);
}

// A reversed direction of a shorter sequence starts at its own end; what lies behind is 0.
TEST(Rnn, StopsAtSequenceLengths) {
  const Tensor x = Tensor::from<float>({3, 2, 1}, {1, 10, 2, 20, 4, 40});
  const Tensor one = Tensor::from<float>({1, 1, 1}, {1});
  const auto outcome = run_node({.op_type = "RNN",
                                 .attributes = {{"hidden_size", Index{1}},
                                                {"direction", std::string("reverse")},
                                                {"activations", std::vector<std::string>{"Affine"}},
                                                {"activation_alpha", std::vector<float>{1}}},
                                 .inputs = {x, one, one, Tensor(), Tensor::from<std::int32_t>({2}, {3, 2})},
                                 .opset = 14,
                                 .outputs = 2},
                                {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  expect_close(outcome.value().outputs[0], {3, 1, 2, 1}, {7, 30, 6, 20, 4, 0}, 0);
  expect_close(outcome.value().outputs[1], {1, 2, 1}, {7, 30}, 0);
}

TEST(LayerNormalization, GivesMeanAndInverseDeviation) {
  const auto outcome = run_node({.op_type = "LayerNormalization",
                                 .attributes = {{"epsilon", 0.0F}},
                                 .inputs = {Tensor::from<float>({1, 4}, {1, 3, 1, 3}),
                                            Tensor::from<float>({4}, {1, 1, 2, 2}), Tensor::scalar(10.0F)},
                                 .opset = 17,
                                 .outputs = 3},
                                {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  expect_close(outcome.value().outputs[0], {1, 4}, {9, 11, 8, 12}, 0);
  expect_close(outcome.value().outputs[1], {1, 1}, {2}, 0);
  expect_close(outcome.value().outputs[2], {1, 1}, {1}, 0);
}

}  // namespace
}  // namespace assay::test
