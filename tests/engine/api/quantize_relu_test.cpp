// SPDX-License-Identifier: Apache-2.0
// The reported fault: a Relu behind a Conv is dropped where the quantized output range does not end at 0. Conv 1x1 with
// weight 127 and no bias, Relu, perhaps MaxPool, calibrated on -127 and 127; the float answer to -127 is 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/api/quantize_support.h"

namespace assay::api {
namespace {

using quantizer::Format;
using quantizer::Options;
using quantizer::RangeKind;
using quantizer::ReluPolicy;
using test::constant_image;
using test::reported_model;
using test::reported_samples;
using test::run_model;

struct ReportedCase {
  DType type = DType::kUint8;
  bool symmetric = false;
  RangeKind range = RangeKind::kFull;
  ReluPolicy relu = ReluPolicy::kSafe;
  Format format = Format::kQdq;
  bool pool = false;

  std::string text() const {
    return std::string(dtype_name(type)) + (symmetric ? " symmetric" : " asymmetric") +
           (range == RangeKind::kFull ? " full" : " narrow") + " policy " + std::to_string(static_cast<int>(relu)) +
           (format == Format::kQdq ? " qdq" : " qoperator") + (pool ? " pool" : "");
  }
  Options options() const {
    Options options;
    options.activation_type = type;
    options.activation_symmetric = symmetric;
    options.activation_range = range;
    options.relu = relu;
    options.format = format;
    return options;
  }
  // Where zero is not the type's smallest value, dropping the Relu loses it.
  bool loses_the_relu() const {
    return relu == ReluPolicy::kDrop && (symmetric || (type == DType::kInt8 && range == RangeKind::kNarrow));
  }
  // By hand. uint8, and int8 in [-128,127]: x = -127 is -127.5 steps of 254/255, so -128 of them; the product with the
  // weight 127 (scale 1) is -128 steps of 32258/255 too: -16192.25. int8 in [-127,127]: -127 steps of 1, -127 steps of
  // 127: -16129. Asymmetric narrow: one step of 16129/254 below zero, where int8 saturates.
  float lost_value() const {
    if (!symmetric) {
      return -static_cast<float>(16129.0 / 254);
    }
    const bool narrow = type == DType::kInt8 && range == RangeKind::kNarrow;
    return narrow ? -16129.0F : -128.0F * static_cast<float>(32258.0 / 255);
  }
};

std::vector<ReportedCase> reported_cases() {
  std::vector<ReportedCase> cases;
  for (const DType type : {DType::kUint8, DType::kInt8}) {
    for (const bool symmetric : {false, true}) {
      for (const RangeKind range : {RangeKind::kFull, RangeKind::kNarrow}) {
        for (const ReluPolicy relu : {ReluPolicy::kSafe, ReluPolicy::kDrop, ReluPolicy::kKeep}) {
          for (const Format format : {Format::kQdq, Format::kQOperator}) {
            for (const bool pool : {false, true}) {
              cases.push_back({type, symmetric, range, relu, format, pool});
            }
          }
        }
      }
    }
  }
  return cases;
}

TEST(ReportedRelu, IsLostExactlyWhereTheoryHasIt) {
  for (const ReportedCase& c : reported_cases()) {
    SCOPED_TRACE(c.text());
    const Model model = reported_model(c.pool);
    const auto quantized = quantize(model, reported_samples(), c.options());
    ASSERT_TRUE(quantized.ok()) << quantized.error().message;
    EXPECT_EQ(quantized.value().samples, 2);
    EXPECT_EQ(quantized.value().warnings.size(), c.loses_the_relu() ? 1U : 0U);
    const float expected = c.loses_the_relu() ? c.lost_value() : 0.0F;
    for (const Optimization level : {Optimization::kNone, Optimization::kBasic, Optimization::kAll}) {
      const Tensor y = run_model(quantized.value().model, {{"x", constant_image(-127)}}, level);
      for (const float value : y.data<float>()) {
        EXPECT_EQ(value, expected) << optimization_name(level);
      }
      // The other sample shows that the output is not simply always 0.
      const Tensor top = run_model(quantized.value().model, {{"x", constant_image(127)}}, level);
      EXPECT_NEAR(top.data<float>()[0], 16129, 128) << optimization_name(level);
    }
  }
}

TEST(ReportedRelu, MaxPoolBehindItRunsOnIntegers) {
  for (const ReportedCase& c : reported_cases()) {
    if (!c.pool) {
      continue;
    }
    SCOPED_TRACE(c.text());
    const auto quantized = quantize(reported_model(true), reported_samples(), c.options());
    ASSERT_TRUE(quantized.ok()) << quantized.error().message;
    const Session session = Session::create(quantized.value().model, {}).value();
    const Graph& optimized = session.optimized_graph();
    const Node pool = test::only_node(optimized, "MaxPool");
    ASSERT_EQ(pool.outputs.size(), 1U);
    const GraphIndex index(optimized);
    ASSERT_EQ(index.consumer_count(pool.outputs[0]), 1U);
    EXPECT_EQ(optimized.nodes[static_cast<std::size_t>(index.consumers(pool.outputs[0])[0])].op_type,
              "DequantizeLinear");
    EXPECT_EQ(test::count_op(optimized, "Conv"), 0);  // and the Conv as well, with its clamp
  }
}

TEST(ReportedRelu, WarningNamesTheNodes) {
  Options options;
  options.activation_symmetric = true;
  options.relu = ReluPolicy::kDrop;
  const auto quantized = quantize(reported_model(false), reported_samples(), options);
  EXPECT_THAT(quantized.value().warnings,
              testing::ElementsAre("Relu 'relu1': dropped, but zero point 128 is not the type's smallest value 0: "
                                   "negative outputs of Conv 'conv1' down to -16129 stay"));
}

}  // namespace
}  // namespace assay::api
