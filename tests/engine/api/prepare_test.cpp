// SPDX-License-Identifier: Apache-2.0
#include "engine/api/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/api/observe.h"
#include "tests/engine/api/quantize_support.h"
#include "tests/support/random.h"

namespace assay::api {
namespace {

using quantizer::Format;
using quantizer::Options;
using test::floats;
using test::GraphBuilder;
using test::run_model;
using test::samples;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Tensor random_tensor(test::Random& random, const Shape& shape, float deviation) {
  std::vector<float> values;
  for (Index i = 0; i < element_count(shape).value(); ++i) {
    values.push_back(random.normal(0, deviation));
  }
  return floats(shape, values);
}

// A tensor whose index along the first axis has a magnitude of its own.
Tensor uneven_tensor(test::Random& random, const Shape& shape) {
  Tensor tensor = random_tensor(random, shape, 1);
  std::vector<float> values(tensor.data<float>().begin(), tensor.data<float>().end());
  const std::size_t row = values.size() / static_cast<std::size_t>(shape[0]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape[0]); ++i) {
    const float magnitude = std::exp(random.normal(0, 1.5F));
    for (std::size_t k = 0; k < row; ++k) {
      values[i * row + k] *= magnitude;
    }
  }
  return floats(shape, values);
}

// Conv, depthwise Conv, grouped Conv, pools and Flatten to two Gemms, with what commutes between.
Model convolutions(test::Random& random) {
  const AttributeMap padded = {{"pads", std::vector<Index>{1, 1, 1, 1}}};
  AttributeMap depthwise = padded;
  depthwise["group"] = Index{6};
  return Model::from_graph(
             GraphBuilder()
                 .input("x", {1, 3, 6, 6})
                 .constant("w1", uneven_tensor(random, {6, 3, 3, 3}))
                 .constant("b1", random_tensor(random, {6}, 1))
                 .constant("w2", uneven_tensor(random, {6, 1, 3, 3}))
                 .constant("b2", random_tensor(random, {6}, 1))
                 .constant("w3", uneven_tensor(random, {4, 3, 1, 1}))
                 .constant("w4", random_tensor(random, {36, 5}, 1))
                 .constant("c4", random_tensor(random, {1, 5}, 1))
                 .constant("w5", random_tensor(random, {2, 5}, 1))
                 .node("Conv", "conv1", {"x", "w1", "b1"}, padded)
                 .node("Relu", "relu1", {"conv1"})
                 .node("Conv", "conv2", {"relu1", "w2", "b2"}, depthwise)
                 .node("LeakyRelu", "leaky", {"conv2"}, {{"alpha", 0.25F}})
                 .node("Conv", "conv3", {"leaky", "w3"}, {{"group", Index{2}}})
                 .node("MaxPool", "pool", {"conv3"},
                       {{"kernel_shape", std::vector<Index>{2, 2}}, {"strides", std::vector<Index>{2, 2}}})
                 .node("Flatten", "flat", {"pool"})
                 .node("Gemm", "dense", {"flat", "w4", "c4"}, {{"beta", 0.5F}})
                 .node("Relu", "relu2", {"dense"})
                 .node("Gemm", "y", {"relu2", "w5"}, {{"transB", Index{1}}})
                 .output("y", {1, 2})
                 .build())
      .value();
}

// LayerNormalization to two MatMuls, one of them with Add, Relu and a third MatMul behind it.
Model tokens(test::Random& random) {
  return Model::from_graph(GraphBuilder(17)
                               .input("x", {1, 5, 8})
                               .constant("s", uneven_tensor(random, {8}))
                               .constant("b", random_tensor(random, {8}, 1))
                               .constant("w1", random_tensor(random, {8, 6}, 1))
                               .constant("c1", random_tensor(random, {6}, 1))
                               .constant("w2", random_tensor(random, {6, 4}, 1))
                               .constant("w3", random_tensor(random, {8, 4}, 1))
                               .node("LayerNormalization", "norm", {"x", "s", "b"})
                               .node("MatMul", "up", {"norm", "w1"})
                               .node("Add", "shifted", {"up", "c1"})
                               .node("Relu", "relu", {"shifted"})
                               .node("MatMul", "down", {"relu", "w2"})
                               .node("MatMul", "side", {"norm", "w3"})
                               .node("Add", "y", {"down", "side"})
                               .output("y", {1, 5, 4})
                               .build())
      .value();
}

NamedTensors sample_for(const Model& model, test::Random& random) {
  Shape shape;
  for (const Dim& dim : model.graph().inputs[0].dims) {
    shape.push_back(dim.size);
  }
  return {{model.graph().inputs[0].name, random_tensor(random, shape, 1)}};
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.data<float>().size(); ++i) {
    largest =
        std::max(largest, std::fabs(static_cast<double>(a.data<float>()[i]) - static_cast<double>(b.data<float>()[i])));
  }
  return largest;
}

double largest_magnitude(const Tensor& a) {
  return largest_difference(a, Tensor::allocate(DType::kFloat32, a.shape()).value());
}

TEST(Prepare, EqualizingAndSmoothingLeaveTheFloatFunctionAsItIs) {
  test::Random random;
  for (int round = 0; round < 8; ++round) {
    for (const Model& model : {convolutions(random), tokens(random)}) {
      Options options;
      options.equalize = true;
      options.smooth_quant = true;
      std::vector<NamedTensors> data;
      for (int i = 0; i < 4; ++i) {
        data.push_back(sample_for(model, random));
      }
      const auto prepared = prepare(model, samples(data), options);
      ASSERT_TRUE(prepared.ok()) << prepared.error().message;
      EXPECT_THAT(prepared.value().lines, Contains(HasSubstr("equalized")));
      EXPECT_THAT(prepared.value().lines, Contains(HasSubstr("smoothed")));
      for (const NamedTensors& inputs : data) {
        const Tensor before = run_model(model, inputs, Optimization::kNone);
        const Tensor after = run_model(prepared.value().model, inputs, Optimization::kNone);
        EXPECT_LE(largest_difference(before, after), 1e-4 * (1 + largest_magnitude(before)))
            << "seed " << test::test_seed();
      }
    }
  }
}

TEST(Prepare, EqualizesEveryPairOfTheConvolutions) {
  test::Random random;
  Options options;
  options.equalize = true;
  const auto prepared = prepare(convolutions(random), nullptr, options);
  ASSERT_TRUE(prepared.ok());
  EXPECT_THAT(prepared.value().lines,
              ElementsAre("equalized Conv 'conv1' and Conv 'conv2'", "equalized Conv 'conv2' and Conv 'conv3'",
                          "equalized Conv 'conv3' and Gemm 'dense'", "equalized Gemm 'dense' and Gemm 'y'"));
}

// Where layers in front are exact, the mean error of a corrected layer vanishes up to its bias's own rounding.
TEST(BiasCorrection, TakesTheMeanErrorOut) {
  test::Random random;
  const Model model = Model::from_graph(GraphBuilder()
                                            .input("x", {1, 4, 6, 6})
                                            .constant("w", random_tensor(random, {5, 4, 1, 1}, 1))
                                            .node("Conv", "y", {"x", "w"})
                                            .output("y", {1, 5, 6, 6})
                                            .build())
                          .value();
  std::vector<NamedTensors> data;
  for (int i = 0; i < 8; ++i) {
    Tensor x = random_tensor(random, {1, 4, 6, 6}, 1);
    for (float& value : x.mutable_data<float>()) {
      value += 3;  // a mean far from 0 turns rounding errors of weights into a bias
    }
    data.push_back({{"x", x}});
  }
  Options options;
  options.weight_type = DType::kInt4;
  const auto mean_errors = [&](bool corrects) {
    options.bias_correction = corrects;
    const auto result = quantize(model, samples(data), options);
    EXPECT_TRUE(result.ok()) << result.error().message;
    std::vector<double> errors(5, 0.0);
    for (const NamedTensors& inputs : data) {
      const Tensor real = run_model(model, inputs, Optimization::kNone);
      const Tensor quantized = run_model(result.value().model, inputs, Optimization::kNone);
      for (std::size_t i = 0; i < 5 * 36; ++i) {
        errors[i / 36] +=
            (static_cast<double>(quantized.data<float>()[i]) - static_cast<double>(real.data<float>()[i])) / (36 * 8);
      }
    }
    double largest = 0;
    for (const double error : errors) {
      largest = std::max(largest, std::fabs(error));
    }
    return largest;
  };
  const double before = mean_errors(false);
  const double after = mean_errors(true);
  EXPECT_GT(before, 0.05) << "seed " << test::test_seed();
  EXPECT_LT(after, before / 8) << "seed " << test::test_seed();
}

TEST(BiasCorrection, DoesNotDependOnThreads) {
  test::Random random;
  const Model model = convolutions(random);
  std::vector<NamedTensors> data;
  for (int i = 0; i < 9; ++i) {
    data.push_back(sample_for(model, random));
  }
  Options options;
  options.bias_correction = true;
  options.smooth_quant = true;
  const auto one = quantize(model, samples(data), options);
  options.calibration.threads = 3;
  const auto three = quantize(model, samples(data), options);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one.value().model.serialize().value(), three.value().model.serialize().value());
  EXPECT_THAT(one.value().preparation, Contains("corrected the bias of 'conv3'"));
}

// What calibration found for the prepared model, its own tensors among it, serves the next time.
TEST(SmoothQuant, TakesTheRangesThatItSaved) {
  test::Random random;
  const Model model = Model::from_graph(GraphBuilder()
                                            .input("x", {2, 2})
                                            .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                                            .node("MatMul", "product", {"x", "w"})
                                            .output("product", {2, 2})
                                            .build())
                          .value();
  const std::vector<NamedTensors> data = {sample_for(model, random), sample_for(model, random)};
  Options options;
  options.smooth_quant = true;
  const auto first = quantize(model, samples(data), options);
  ASSERT_TRUE(first.ok()) << first.error().message;
  options.ranges = first.value().ranges;
  ASSERT_TRUE(options.ranges.contains("x_smoothed"));
  const auto second = quantize(model, samples(data), options);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(first.value().model.serialize().value(), second.value().model.serialize().value());
}

TEST(BiasCorrection, ServesWeightOnlyAndNeedsSamplesThere) {
  test::Random random;
  const Model model = convolutions(random);
  Options options;
  options.format = Format::kWeightOnly;
  options.bias_correction = true;
  EXPECT_TRUE(needs_calibration(options));
  const auto without = quantize(model, samples({}), options);
  ASSERT_FALSE(without.ok());
  EXPECT_THAT(without.error().message, HasSubstr("the data has no samples"));
  const auto with = quantize(model, samples({sample_for(model, random)}), options);
  ASSERT_TRUE(with.ok()) << with.error().message;
  EXPECT_THAT(with.value().preparation, Contains("corrected the bias of 'conv1'"));
}

TEST(Decisions, SayWhatThePreparationDidWithANode) {
  const Model model = Model::from_graph(GraphBuilder()
                                            .input("x", {1, 2})
                                            .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                                            .constant("c", floats({2}, {1, 2}))
                                            .node("Neg", "turned", {"w"})
                                            .node("MatMul", "product", {"x", "turned"})
                                            .node("Add", "sum", {"c", "product"})
                                            .output("sum", {1, 2})
                                            .build())
                          .value();
  const auto result = quantize(model, samples({{{"x", floats({1, 2}, {1, -1})}}}), {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result.value().nodes.size(), 3U);
  EXPECT_EQ(result.value().nodes[0].reason, "computed before quantization: its inputs are constant");
  EXPECT_TRUE(result.value().nodes[1].quantized);
  EXPECT_EQ(result.value().nodes[2].reason, "merged into MatMul 'product' before quantization");
  EXPECT_TRUE(result.value().nodes[2].quantized);
}

TEST(LastAxisMagnitudes, PassOverWhatIsNotFinite) {
  const Model model =
      Model::from_graph(GraphBuilder().input("x", {2, 2}).node("Neg", "y", {"x"}).output("y", {2, 2}).build()).value();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto found = last_axis_magnitudes(
      model, samples({{{"x", floats({2, 2}, {1, infinity, -3, 2})}}, {{"x", floats({2, 2}, {-2, 0, 1, NAN})}}}), 2,
      {{"x", 2}, {"y", 3}});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found.value().size(), 1U);  // y has another length
  EXPECT_THAT(found.value().at("x"), ElementsAre(3, 2));
}

// The shape of the operand follows from the operators in front; it takes no samples.
TEST(Prepare, ASoftmaxOfOldNeedsNoStatedShape) {
  const Model model = Model::from_graph(GraphBuilder(11)
                                            .input("x", {3, 2, 2})
                                            .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                                            .node("MatMul", "product", {"x", "w"})
                                            .node("Softmax", "soft", {"product"}, {{"axis", Index{1}}})
                                            .node("MatMul", "last", {"soft", "w"})
                                            .output("last", {3, 2, 2})
                                            .build())
                          .value();
  for (const Format format : {Format::kDynamic, Format::kWeightOnly}) {
    Options options;
    options.format = format;
    const auto made = quantize(model, samples({}), options);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(test::count_op(made.value().model.graph(), "Flatten"), 1);
  }
}

TEST(Prepare, NamesTheWeightThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Model model = Model::from_graph(GraphBuilder()
                                            .input("x", {1, 2})
                                            .constant("w", floats({2, 2}, {1, nan, 3, 4}))
                                            .constant("v", floats({2, 2}, {1, 2, 3, 4}))
                                            .node("MatMul", "bad", {"x", "w"})
                                            .node("Tanh", "between", {"bad"})
                                            .node("MatMul", "y", {"between", "v"})
                                            .output("y", {1, 2})
                                            .build())
                          .value();
  const auto made = quantize(model, samples({{{"x", floats({1, 2}, {1, 2})}}}), Options());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("it is computed from 'w', a constant of MatMul 'bad' that holds nan"));
}

}  // namespace
}  // namespace assay::api
