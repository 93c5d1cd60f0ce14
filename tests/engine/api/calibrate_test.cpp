// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/engine/api/quantize_support.h"
#include "tests/support/peak_memory.h"
#include "tests/support/random.h"

namespace assay::api {
namespace {

using test::floats;
using test::GraphBuilder;
using testing::HasSubstr;

constexpr Index kSize = 24;

// Conv, Relu, Conv, Add: values with and without negatives.
Model small_network(Index channels, Index size) {
  test::Random random(13);
  const auto weights = [&](const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
    for (float& value : values) {
      value = random.normal(0, 0.3F);
    }
    return floats(shape, values);
  };
  GraphBuilder builder;
  builder.input("x", {1, 1, size, size})
      .constant("w1", weights({channels, 1, 1, 1}))
      .constant("w2", weights({channels, channels, 1, 1}))
      .node("Conv", "conv1", {"x", "w1"})
      .node("Relu", "relu1", {"conv1"})
      .node("Conv", "conv2", {"relu1", "w2"})
      .node("Add", "add1", {"conv2", "relu1"})
      .output("add1", {1, channels, size, size});
  return Model::from_graph(builder.build()).value();
}

// Sample `position` is made anew at each call, from its number alone.
CalibrationSource random_samples(Index count, Index size) {
  return [count, size](Index position, NamedTensors& inputs) -> Result<bool> {
    if (position >= count) {
      return false;
    }
    test::Random random(100 + static_cast<std::uint64_t>(position));
    ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(DType::kFloat32, {1, 1, size, size}));
    for (float& value : tensor.mutable_data<float>()) {
      value = random.normal(0, 1 + 0.1F * static_cast<float>(position));
    }
    inputs["x"] = std::move(tensor);
    return true;
  };
}

TEST(Calibrate, RangesDoNotDependOnTheThreads) {
  const Model model = small_network(4, kSize);
  using quantizer::Calibration;
  for (const Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                                   Calibration::kEntropy, Calibration::kMse, Calibration::kMeanSigma}) {
    for (const Index stride : {quantizer::kCollectAuto, Index{3}}) {
      quantizer::Options options;
      options.calibration = {.method = method, .percentile = 99, .stride = stride};
      const auto alone = quantize(model, random_samples(20, kSize), options);
      ASSERT_TRUE(alone.ok()) << alone.error().message;
      EXPECT_EQ(alone.value().samples, 20);
      for (const int threads : {2, 5, 32}) {
        options.calibration.threads = threads;
        const auto shared = quantize(model, random_samples(20, kSize), options);
        ASSERT_TRUE(shared.ok()) << shared.error().message;
        EXPECT_EQ(shared.value().ranges, alone.value().ranges) << threads << " threads, seed " << test::test_seed();
      }
    }
  }
}

TEST(Calibrate, MethodsNarrowTheRangeOfMinMax) {
  const Model model = small_network(4, kSize);
  using quantizer::Calibration;
  quantizer::Options options;
  const auto widest = quantize(model, random_samples(20, kSize), options).value().ranges;
  for (const Calibration method : {Calibration::kMovingAverage, Calibration::kPercentile, Calibration::kEntropy,
                                   Calibration::kMse, Calibration::kMeanSigma}) {
    options.calibration = {.method = method, .percentile = 99};
    const auto ranges = quantize(model, random_samples(20, kSize), options).value().ranges;
    EXPECT_EQ(ranges.size(), widest.size());
    EXPECT_NE(ranges, widest);
    for (const auto& [name, range] : ranges) {
      EXPECT_GE(range.first, std::min(widest.at(name).first, 0.0)) << name;
      EXPECT_LE(range.second, widest.at(name).second) << name;
    }
  }
}

// A sample's values are 4 x 4 MiB here; if samples stayed, 28 more of them would be 450 MiB.
TEST(Calibrate, MemoryDoesNotGrowWithTheSamples) {
  const Model model = small_network(16, 256);
  quantizer::Options options;
  options.calibration = {.method = quantizer::Calibration::kPercentile, .threads = 2};
  ASSERT_TRUE(quantize(model, random_samples(4, 256), options).ok());
  const test::PeakMemory memory;
  ASSERT_TRUE(quantize(model, random_samples(32, 256), options).ok());
  // One sample for each of the two threads, its tensors and the histograms.
  if (!test::freed_memory_is_kept()) {
    EXPECT_LT(memory.growth_kib(), 100 * 1024);
  }
}

TEST(Calibrate, OneSampleForEachThreadAtATime) {
  const Model model = small_network(4, kSize);
  std::atomic<int> calls = 0;
  const CalibrationSource inner = random_samples(10, kSize);
  const CalibrationSource counting = [&](Index position, NamedTensors& inputs) -> Result<bool> {
    EXPECT_TRUE(inputs.empty());
    ++calls;
    return inner(position, inputs);
  };
  quantizer::Options options;
  ASSERT_TRUE(quantize(model, counting, options).ok());
  EXPECT_EQ(calls, 11);  // the last one says that there are no more
  calls = 0;
  options.calibration.method = quantizer::Calibration::kEntropy;
  ASSERT_TRUE(quantize(model, counting, options).ok());
  EXPECT_EQ(calls, 11);
  calls = 0;
  options.calibration.method = quantizer::Calibration::kPercentile;
  ASSERT_TRUE(quantize(model, counting, options).ok());
  EXPECT_EQ(calls, 11);
  calls = 0;
  options.calibration.stride = 4;  // a histogram that grows is counted once its last bins are known
  ASSERT_TRUE(quantize(model, counting, options).ok());
  EXPECT_EQ(calls, 22);
}

TEST(Calibrate, TheErrorIsThatOfTheLowestSample) {
  const Model model = small_network(4, kSize);
  const CalibrationSource source = [](Index position, NamedTensors& inputs) -> Result<bool> {
    const Index size = position >= 5 ? kSize + position : kSize;
    ASSAY_ASSIGN(inputs["x"], Tensor::allocate(DType::kFloat32, {1, 1, size, size}));
    return position < 100;
  };
  for (const int threads : {1, 2, 8}) {
    quantizer::Options options;
    options.calibration.threads = threads;
    EXPECT_THAT(quantize(model, source, options).error().message, HasSubstr("calibration sample 5: "));
  }
}

TEST(Calibrate, ASourceThatChangesBetweenThePassesIsAnError) {
  const Model model = small_network(4, kSize);
  int calls = 0;
  const CalibrationSource inner = random_samples(6, kSize);
  const CalibrationSource shrinking = [&](Index position, NamedTensors& inputs) -> Result<bool> {
    return ++calls > 9 ? Result<bool>(false) : inner(position, inputs);
  };
  quantizer::Options options;
  options.calibration.method = quantizer::Calibration::kPercentile;
  options.calibration.stride = 4;  // needs two passes
  EXPECT_EQ(quantize(model, shrinking, options).error().message,
            "calibration: the data had 6 samples in the first pass and 2 in the second");
}

TEST(Calibrate, ValuesThatAreNotFiniteAreErrorsWhateverTheMethod) {
  const Model model = small_network(4, 2);
  using quantizer::Calibration;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const Calibration method : {Calibration::kMovingAverage, Calibration::kPercentile, Calibration::kEntropy,
                                     Calibration::kMse, Calibration::kMeanSigma}) {
      quantizer::Options options;
      options.calibration = {.method = method, .threads = 2};
      const auto result = quantize(
          model,
          test::samples({{{"x", floats({1, 1, 2, 2}, {1, 2, 3, 4})}}, {{"x", floats({1, 1, 2, 2}, {1, 2, bad, 4})}}}),
          options);
      ASSERT_FALSE(result.ok());
      EXPECT_THAT(result.error().message, HasSubstr("' is not finite: sample 1: element 2 is "));
    }
  }
}

TEST(Calibrate, ConstantSamplesQuantize) {
  const Model model = small_network(4, 2);
  using quantizer::Calibration;
  for (const float value : {0.0F, 3.0F, -3.0F}) {
    for (const Calibration method : {Calibration::kMinMax, Calibration::kMovingAverage, Calibration::kPercentile,
                                     Calibration::kEntropy, Calibration::kMse, Calibration::kMeanSigma}) {
      quantizer::Options options;
      options.calibration.method = method;
      const auto result = quantize(model, test::samples({{{"x", test::constant_image(value)}}}), options);
      ASSERT_TRUE(result.ok()) << result.error().message;
      const std::pair<double, double> range = result.value().ranges.at("x");
      EXPECT_LE(range.first, range.second);
      EXPECT_NEAR(std::max(-range.first, range.second), std::fabs(static_cast<double>(value)), 0.51);
    }
  }
}

TEST(GivenRanges, OfAnotherModelAreRefused) {
  const Model model = small_network(4, kSize);
  const auto made = quantize(model, random_samples(2, kSize), {});
  ASSERT_TRUE(made.ok());
  quantizer::Options options;
  options.ranges = made.value().ranges;
  options.calibration.ranges_file = "r.json";
  options.calibration.ranges_model_digest = made.value().model_digest;
  const auto again = quantize(model, nullptr, options);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().model.serialize().value(), made.value().model.serialize().value());
  EXPECT_THAT(quantize(small_network(5, kSize), nullptr, options).error().message,
              HasSubstr("quantizer.ranges: 'r.json' was made for another model: its digest is "));
}

TEST(GivenRanges, OfAnotherToolMayNameMore) {
  const Model model = small_network(4, kSize);
  quantizer::Options options;
  options.ranges = quantize(model, random_samples(2, kSize), {}).value().ranges;
  options.ranges["no such tensor"] = {0, 1};
  EXPECT_THAT(quantize(model, nullptr, options).error().message, HasSubstr("the model has no tensor 'no such tensor'"));
  options.calibration.ranges_file = "cache";
  options.calibration.ranges_are_foreign = true;
  const auto result = quantize(model, nullptr, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(
      result.value().warnings,
      testing::Contains("quantizer.ranges: 'cache' has 1 tensors that this model does not compute: 'no such tensor'"));
  options.ranges = {{"other", {0, 1}}};
  EXPECT_EQ(quantize(model, nullptr, options).error().message,
            "quantizer.ranges: 'cache' names no tensor that this model computes; it has 'other'");
}

}  // namespace
}  // namespace assay::api
