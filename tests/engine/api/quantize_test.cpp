// SPDX-License-Identifier: Apache-2.0
#include "engine/api/quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/api/quantize_support.h"
#include "tests/support/random.h"

namespace assay::api {
namespace {

using quantizer::Format;
using quantizer::Options;
using quantizer::ReluPolicy;
using test::constant_image;
using test::floats;
using test::GraphBuilder;
using test::reported_model;
using test::reported_samples;
using test::run_model;
using test::samples;
using testing::HasSubstr;

// ---- Networks ----

std::vector<float> random_values(test::Random& random, Index count, float deviation) {
  std::vector<float> values;
  for (Index i = 0; i < count; ++i) {
    values.push_back(random.normal(0, deviation));
  }
  return values;
}

// Conv, BatchNormalization, Relu, depthwise Conv, Clip, residual Add, Relu, pools, Concat, Gemm, Softmax.
Model random_network(test::Random& random, Index opset) {
  const auto weights = [&](const Shape& shape, float deviation) {
    return floats(shape, random_values(random, element_count(shape).value(), deviation));
  };
  std::vector<float> variance;
  for (int i = 0; i < 6; ++i) {
    variance.push_back(random.uniform(0.5F, 2));
  }
  GraphBuilder builder(opset);
  builder.input("x", {1, 3, 8, 8})
      .constant("w1", weights({6, 3, 3, 3}, 0.3F))
      .constant("scale", weights({6}, 1))
      .constant("shift", weights({6}, 0.5F))
      .constant("mean", weights({6}, 0.5F))
      .constant("variance", floats({6}, variance))
      .constant("w2", weights({6, 1, 3, 3}, 0.4F))
      .constant("b2", weights({6}, 0.5F))
      .constant("w3", weights({12, 5}, 0.4F))
      .constant("b3", weights({5}, 0.5F))
      .node("Conv", "conv1", {"x", "w1"}, {{"pads", std::vector<Index>{1, 1, 1, 1}}})
      .node("BatchNormalization", "norm1", {"conv1", "scale", "shift", "mean", "variance"})
      .node("Relu", "relu1", {"norm1"})
      .node("Conv", "conv2", {"relu1", "w2", "b2"}, {{"pads", std::vector<Index>{1, 1, 1, 1}}, {"group", Index{6}}});
  if (opset < 11) {
    builder.node("Clip", "clip2", {"conv2"}, {{"min", 0.0F}, {"max", 6.0F}});
  } else {
    builder.constant("zero", Tensor::scalar(0.0F))
        .constant("six", Tensor::scalar(6.0F))
        .node("Clip", "clip2", {"conv2", "zero", "six"});
  }
  builder.node("Add", "sum", {"relu1", "clip2"})
      .node("Relu", "relu3", {"sum"})
      .node("MaxPool", "pool", {"relu3"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
      .node("AveragePool", "avg", {"relu3"}, {{"kernel_shape", std::vector<Index>{7, 7}}})
      .node("MaxPool", "avg2", {"avg"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
      .node("GlobalAveragePool", "gap", {"pool"})
      .node("Concat", "cat", {"gap", "avg2"}, {{"axis", Index{1}}})
      .node("Flatten", "flat", {"cat"})
      .node("Gemm", "gemm", {"flat", "w3", "b3"}, {{"alpha", 0.5F}, {"beta", 2.0F}})
      .output("gemm", {1, 5});
  auto model = Model::from_graph(builder.build());
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.value();
}

Tensor random_image(test::Random& random) { return floats({1, 3, 8, 8}, random_values(random, 192, 1)); }

std::vector<NamedTensors> random_images(test::Random& random) {
  std::vector<NamedTensors> out;
  for (int i = 0; i < 4; ++i) {
    out.push_back({{"x", random_image(random)}});
  }
  return out;
}

double step_of(const QuantizeResult& result, const std::string& tensor) {
  for (const TensorParams& params : result.tensors) {
    if (params.tensor == tensor) {
      return params.scales[0];
    }
  }
  ADD_FAILURE() << "no parameters for " << tensor;
  return 0;
}

TEST(Networks, FormatsAndLevelsAgreeWithinSteps) {
  test::Random random;
  for (int trial = 0; trial < 24; ++trial) {
    const Model model = random_network(random, trial % 3 == 0 ? 9 : 13);
    const std::vector<NamedTensors> data = random_images(random);
    Options options;
    options.activation_type = random.chance(0.5) ? DType::kUint8 : DType::kInt8;
    const bool signed_weights = options.activation_type == DType::kInt8 || random.chance(0.5);
    options.weight_type = signed_weights ? DType::kInt8 : DType::kUint8;
    options.activation_symmetric = random.chance(0.3);
    options.weight_symmetric = random.chance(0.7);
    options.per_channel = random.chance(0.5);
    options.relu = random.chance(0.7) ? ReluPolicy::kSafe : ReluPolicy::kKeep;
    const auto qdq = quantize(model, samples(data), options);
    ASSERT_TRUE(qdq.ok()) << qdq.error().message;
    options.format = Format::kQOperator;
    const auto qoperator = quantize(model, samples(data), options);
    ASSERT_TRUE(qoperator.ok()) << qoperator.error().message;
    EXPECT_TRUE(qdq.value().warnings.empty());
    EXPECT_EQ(test::count_op(qoperator.value().model.graph(), "Conv"), 0);

    const double step = step_of(qdq.value(), "gemm");
    EXPECT_EQ(step, step_of(qoperator.value(), "gemm"));
    const Tensor reference = run_model(model, data[0], Optimization::kNone);
    const Tensor none = run_model(qdq.value().model, data[0], Optimization::kNone);
    // `exact` so that no int16 pair saturates; single steps inside may differ and travel to the output.
    const Profile exact = {.isa = Isa::kScalar, .precision = Precision::kExact};
    const Tensor all = run_model(qdq.value().model, data[0], Optimization::kAll, exact);
    const Tensor integers = run_model(qoperator.value().model, data[0], Optimization::kNone, exact);
    for (std::size_t i = 0; i < 5; ++i) {
      const double value = static_cast<double>(none.data<float>()[i]);
      EXPECT_NEAR(value, static_cast<double>(reference.data<float>()[i]), 24 * step) << "trial " << trial;
      EXPECT_NEAR(value, static_cast<double>(all.data<float>()[i]), 2.01 * step) << "trial " << trial;
      EXPECT_NEAR(value, static_cast<double>(integers.data<float>()[i]), 2.01 * step) << "trial " << trial;
    }
  }
}

TEST(Networks, SafeClampsHoldInBothFormats) {
  test::Random random(1);
  for (const Format format : {Format::kQdq, Format::kQOperator}) {
    for (const bool symmetric : {false, true}) {
      const Model model = random_network(random, 13);
      Options options;
      options.format = format;
      options.activation_symmetric = symmetric;
      const NamedTensors sample = {{"x", random_image(random)}};
      const Model quantized = quantize(model, samples({sample}), options).value().model;
      // Behind relu3 nothing is negative but Gemm's output.
      SessionOptions session_options;
      const Session session = Session::create(quantized, session_options).value();
      bool seen = false;
      RunOptions run;
      run.tap = [&](const std::string& value, const Tensor& tensor) {
        if (value.starts_with("flat") && tensor.dtype() == DType::kUint8) {
          seen = true;
          const auto zero_point =
              static_cast<std::uint8_t>(test::constant_values(quantized.graph(), "cat_zero_point")[0]);
          for (const std::uint8_t q : tensor.data<std::uint8_t>()) {
            EXPECT_GE(q, zero_point);
          }
        }
      };
      ASSERT_TRUE(session.run(sample, run).ok());
      EXPECT_TRUE(seen);
    }
  }
}

TEST(Quantize, FoldsBatchNormalizationFirstAndReportsIt) {
  test::Random random;
  const Model model = random_network(random, 13);
  Options options;
  options.overrides["w1"].axis = 0;  // reaches the weight with the normalization in it
  const auto result = quantize(model, samples({{{"x", random_image(random)}}}), options).value();
  EXPECT_TRUE(result.warnings.empty());
  EXPECT_EQ(test::count_op(result.model.graph(), "BatchNormalization"), 0);
  ASSERT_EQ(result.nodes.size(), model.graph().nodes.size());
  EXPECT_EQ(result.nodes[1].node, "norm1");
  EXPECT_TRUE(result.nodes[1].quantized);
  EXPECT_EQ(result.nodes[1].reason, "merged into Conv 'conv1' before quantization");
  const auto per_channel = std::count_if(result.tensors.begin(), result.tensors.end(),
                                         [](const TensorParams& params) { return params.axis == 0; });
  EXPECT_EQ(per_channel, 1);
}

TEST(Quantize, GivesTheSameBytesTwice) {
  test::Random random;
  const Model model = random_network(random, 13);
  const std::vector<NamedTensors> data = {{{"x", random_image(random)}}};
  for (const Format format : {Format::kQdq, Format::kQOperator}) {
    Options options;
    options.format = format;
    const std::string first = quantize(model, samples(data), options).value().model.serialize().value();
    const std::string second = quantize(model, samples(data), options).value().model.serialize().value();
    EXPECT_EQ(first, second);
  }
}

// ---- Calibration ----

TEST(Calibration, NeedsDataAndFiniteValues) {
  const Model model = reported_model(false);
  EXPECT_EQ(quantize(model, samples({}), {}).error().message, "calibration: the data has no samples");
  EXPECT_THAT(quantize(model, nullptr, {}).error().message, HasSubstr("calibration: no data given"));
  const auto nan = quantize(
      model, samples({{{"x", constant_image(1)}}, {{"x", floats({1, 1, 2, 2}, {0, 1, std::nanf(""), 2})}}}), {});
  ASSERT_FALSE(nan.ok());
  EXPECT_EQ(nan.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(nan.error().message, "calibration: tensor 'x' is not finite: sample 1: element 2 is nan");
}

TEST(Calibration, NamesTheSampleThatDoesNotFit) {
  const auto result =
      quantize(reported_model(false), samples({{{"x", constant_image(1)}}, {{"y", constant_image(1)}}}), {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("calibration sample 1: "));
}

TEST(Calibration, PassesOnTheSourcesError) {
  const CalibrationSource broken = [](Index, NamedTensors&) -> Result<bool> { return io_error("disk gone"); };
  EXPECT_EQ(quantize(reported_model(false), broken, {}).error().message, "disk gone");
}

TEST(Calibration, GivenRangesNeedNoSamples) {
  Options options;
  options.ranges = {{"x", {-127, 127}}, {"relu1", {0, 16129}}};
  const auto given = quantize(reported_model(false), nullptr, options);
  ASSERT_TRUE(given.ok()) << given.error().message;
  EXPECT_EQ(given.value().samples, 0);
  const auto observed = quantize(reported_model(false), reported_samples(), {});
  EXPECT_EQ(given.value().model.serialize().value(), observed.value().model.serialize().value());
  options.ranges.erase("relu1");
  EXPECT_EQ(quantize(reported_model(false), nullptr, options).error().message,
            "quantizer.ranges has no entry for tensor 'relu1', whose range is needed");
}

// ---- int8 to uint8 ----

TEST(ConvertS8ToU8, ComputesTheSameAtNone) {
  test::Random random;
  for (int trial = 0; trial < 12; ++trial) {
    const Model model = random_network(random, 13);
    const NamedTensors sample = {{"x", random_image(random)}};
    Options options;
    options.activation_type = random.chance(0.7) ? DType::kInt8 : DType::kUint8;
    options.activation_symmetric = random.chance(0.5);
    options.per_channel = random.chance(0.5);
    options.format = random.chance(0.5) ? Format::kQdq : Format::kQOperator;
    const Model before = quantize(model, samples({sample}), options).value().model;
    const auto converted = convert_s8_to_u8(before);
    ASSERT_TRUE(converted.ok()) << converted.error().message;
    for (const auto& [name, tensor] : converted.value().model.graph().initializers) {
      EXPECT_NE(tensor.dtype(), DType::kInt8) << name;
    }
    const Tensor expected = run_model(before, sample, Optimization::kNone);
    EXPECT_TRUE(bytes_equal(expected, run_model(converted.value().model, sample, Optimization::kNone)));
  }
}

TEST(ConvertS8ToU8, CuresPairSaturation) {
  // Two large pixels times two large weights: 255 * 127 * 2 does not fit into int16.
  const Model model = Model::from_graph(GraphBuilder()
                                            .input("x", {1, 4})
                                            .constant("w", floats({4, 1}, {127, 127, 127, 127}))
                                            .node("MatMul", "y", {"x", "w"})
                                            .output("y", {1, 1})
                                            .build())
                          .value();
  const NamedTensors bright = {{"x", floats({1, 4}, {255, 255, 255, 255})}};
  const Model u8s8 = quantize(model, samples({bright}), {}).value().model;
  const Model u8u8 = convert_s8_to_u8(u8s8).value().model;
  const Profile avx2 = {.isa = Isa::kAvx2, .precision = Precision::kFast};
  const float right = 255.0F * 127 * 4;
  EXPECT_NEAR(run_model(u8s8, bright, Optimization::kNone, avx2).data<float>()[0], right, 600);
  EXPECT_LT(run_model(u8s8, bright, Optimization::kAll, avx2).data<float>()[0], right * 0.6F);
  EXPECT_NEAR(run_model(u8u8, bright, Optimization::kAll, avx2).data<float>()[0], right, 600);
}

TEST(Quantize, RefusesAQuantizedModelAndConvertRefusesAFloatOne) {
  const Model model = reported_model(false);
  const Model quantized = quantize(model, samples({{{"x", constant_image(-127)}}}), {}).value().model;
  EXPECT_THAT(quantize(quantized, nullptr, {}).error().message, HasSubstr("the model is quantized already"));
  EXPECT_THAT(convert_s8_to_u8(model).error().message, HasSubstr("the model has no quantized operators"));
}

// Counting only where a range decides something changes no byte of the model.
TEST(Quantize, TheRangesThatAreNotAskedForDoNotMatter) {
  test::Random random;
  Index spared = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const Model model = random_network(random, trial % 3 == 0 ? 9 : 13);
    const std::vector<NamedTensors> data = random_images(random);
    Options options;
    options.format = random.chance(0.5) ? Format::kQdq : Format::kQOperator;
    options.activation_symmetric = random.chance(0.3);
    options.bias_correction = random.chance(0.2);
    options.relu = random.chance(0.6) ? ReluPolicy::kSafe : random.chance(0.5) ? ReluPolicy::kKeep : ReluPolicy::kDrop;
    options.calibration.percentile = 99;
    options.calibration.stride = random.chance(0.3) ? 2 : quantizer::kCollectAuto;
    options.calibration.method = random.chance(0.4)   ? quantizer::Calibration::kPercentile
                                 : random.chance(0.6) ? quantizer::Calibration::kEntropy
                                                      : quantizer::Calibration::kMse;
    const auto all = quantize(model, samples(data), options);
    options.calibration.every_range = false;
    const auto asked = quantize(model, samples(data), options);
    ASSERT_TRUE(all.ok() && asked.ok()) << "seed " << test::test_seed() << " trial " << trial;
    EXPECT_EQ(asked.value().model.serialize().value(), all.value().model.serialize().value())
        << "seed " << test::test_seed() << " trial " << trial;
    spared += asked.value().ranges == all.value().ranges ? 0 : 1;
  }
  EXPECT_GT(spared, 4);
}

}  // namespace
}  // namespace assay::api
