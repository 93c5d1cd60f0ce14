// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/ort_options.h"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

Result<Configuration> mapped(const std::string& options, const std::string& format = "") {
  Configuration configuration;
  configuration.set("quantizer.ort_options", Json::parse(options));
  if (!format.empty()) {
    configuration.set("quantizer.format", format);
  }
  ASSAY_TRY(apply_ort_options(configuration));
  return configuration;
}

std::string error_of(const std::string& options, const std::string& format = "") {
  const Result<Configuration> result = mapped(options, format);
  return result.ok() ? "" : result.error().message;
}

TEST(OrtOptions, NothingIsChangedWithoutThem) {
  Configuration configuration;
  ASSERT_TRUE(apply_ort_options(configuration).ok());
  EXPECT_TRUE(configuration.explicit_values().empty());
}

TEST(OrtOptions, KeywordsAndExtraOptionsReachTheirAxes) {
  const Configuration c = mapped(R"({"quant_format": "QuantFormat.QOperator", "activation_type": "QuantType.QUInt8",
                                     "weight_type": "QUInt8", "per_channel": true, "nodes_to_exclude": ["n"],
                                     "extra_options": {"ActivationSymmetric": true, "MatMulConstBOnly": true}})")
                              .value();
  EXPECT_EQ(c.text("quantizer.format"), "qoperator");
  EXPECT_EQ(c.text("quantizer.activation_type"), "uint8");
  EXPECT_TRUE(c.flag("quantizer.per_channel"));
  EXPECT_TRUE(c.flag("quantizer.activation_symmetric"));
  EXPECT_TRUE(c.flag("quantizer.matmul_const_only"));
  EXPECT_EQ(c.strings("quantizer.nodes_to_exclude"), std::vector<std::string>{"n"});
  EXPECT_FALSE(c.flag("quantizer.weight_symmetric"));  // unsigned weights
}

TEST(OrtOptions, ThePeersDefaultsHoldForWhatIsNotSaid) {
  const Configuration c =
      mapped(R"({"per_channel": true, "extra_options": {"QDQKeepRemovableActivations": true}})").value();
  EXPECT_EQ(c.text("quantizer.activation_type"), "int8");
  EXPECT_EQ(c.text("quantizer.weight_range"), "auto");
  EXPECT_TRUE(c.flag("quantizer.weight_symmetric"));
  EXPECT_EQ(c.text("quantizer.relu"), "keep");
  const Configuration dynamic = mapped(R"({"weight_type": "QUInt8"})", "dynamic").value();
  EXPECT_EQ(dynamic.text("quantizer.activation_type"), "uint8");
  EXPECT_TRUE(dynamic.flag("quantizer.matmul_const_only"));
}

TEST(OrtOptions, AnUnknownOptionIsNamedWithTheNearest) {
  EXPECT_EQ(error_of(R"({"per_chanel": true})"),
            "axis 'quantizer.ort_options': unknown option 'per_chanel'; nearest known option is 'per_channel'");
}

TEST(OrtOptions, AnOptionWithoutEffectIsAnError) {
  EXPECT_EQ(error_of(R"({"quant_format": "QOperator", "DedicatedQDQPair": true})"),
            "axis 'quantizer.ort_options': 'DedicatedQDQPair' has no effect with QuantFormat.QOperator");
  EXPECT_EQ(error_of(R"({"quant_format": "QOperator", "DedicatedQDQPair": false})"), "");
  EXPECT_EQ(error_of(R"({"ActivationSymmetric": true})", "dynamic"),
            "axis 'quantizer.ort_options': 'ActivationSymmetric' has no effect with quantize_dynamic");
  EXPECT_EQ(
      error_of(R"({"CalibMaxIntermediateOutputs": 4})"),
      "axis 'quantizer.ort_options': 'CalibMaxIntermediateOutputs' has no effect here: calibration keeps no outputs "
      "of earlier samples");
  EXPECT_EQ(error_of(R"({"SmoothQuant": false, "CalibMaxIntermediateOutputs": null})"), "");
  EXPECT_EQ(error_of(R"({"SmoothQuantAlpha": 0.7})"),
            "axis 'quantizer.ort_options': 'SmoothQuantAlpha' has no effect under the other options");
  EXPECT_EQ(error_of(R"({"CalibPercentile": 99.0})"),
            "axis 'quantizer.ort_options': 'CalibPercentile' has no effect under the other options");
  EXPECT_EQ(error_of(R"({"calibrate_method": "CalibrationMethod.Entropy", "CalibMovingAverage": true})"),
            "axis 'quantizer.ort_options': 'CalibMovingAverage' has no effect with calibrate_method Entropy");
  EXPECT_EQ(error_of(R"({"calibrate_method": "MinMax", "CalibMovingAverage": true})"), "");
  EXPECT_EQ(error_of(R"({"QuantizeBias": false, "QDQDisableWeightAdjustForInt32Bias": true})"),
            "axis 'quantizer.ort_options': 'QDQDisableWeightAdjustForInt32Bias' has no effect under the other options");
  EXPECT_EQ(error_of(R"({"SmoothQuantFolding": false})"),
            "axis 'quantizer.ort_options': 'SmoothQuantFolding' has no effect here: SmoothQuant folds wherever it can");
}

TEST(OrtOptions, WhatThePeerDoesNotDoByItselfIsOff) {
  const Configuration c = mapped(R"({"SmoothQuant": true, "SmoothQuantAlpha": 0.7})").value();
  EXPECT_TRUE(c.flag("quantizer.smooth_quant"));
  EXPECT_EQ(c.number("quantizer.smooth_quant_alpha"), 0.7);
  for (const char* axis : {"quantizer.fuse_bias", "quantizer.fold_constants", "quantizer.subgraphs"}) {
    EXPECT_FALSE(c.flag(axis)) << axis;
  }
  EXPECT_TRUE(mapped(R"({"EnableSubgraph": true})", "dynamic").value().flag("quantizer.subgraphs"));
}

TEST(OrtOptions, ValuesAndDoublesAreChecked) {
  EXPECT_EQ(error_of(R"({"per_channel": 1})"), "axis 'quantizer.ort_options': 'per_channel' cannot be 1");
  EXPECT_EQ(error_of(R"({"weight_type": "QFloat"})"),
            "axis 'quantizer.ort_options': 'weight_type' cannot be \"QFloat\"");
  EXPECT_EQ(error_of(R"({"BlockSize": 4, "extra_options": {"BlockSize": 8}})"),
            "axis 'quantizer.ort_options': 'BlockSize' is given twice");
  Configuration configuration;
  configuration.set("quantizer.ort_options", Json::parse(R"({"per_channel": true})"));
  configuration.set("quantizer.per_channel", false);
  EXPECT_EQ(
      apply_ort_options(configuration).error().message,
      "axis 'quantizer.ort_options': 'per_channel' and the axis 'quantizer.per_channel' set the same thing: give one "
      "of them");
}

TEST(OrtOptions, TensorOverridesAreTranslated) {
  const Configuration c = mapped(R"({"TensorQuantOverrides": {
      "x": [{"quant_type": "QuantType.QUInt16", "rmin": -1.0, "rmax": 2.0}],
      "w": [{"axis": 0, "rmax": 1.0}, {"axis": 0, "scale": 0.5, "zero_point": 0}]}})")
                              .value();
  EXPECT_EQ(c.get("quantizer.overrides"), Json::parse(R"({"x": {"type": "uint16", "min": -1.0, "max": 2.0},
                            "w": {"axis": 0, "channels": [{"max": 1.0}, {"scale": 0.5, "zero_point": 0}]}})"));
  EXPECT_EQ(
      error_of(R"({"TensorQuantOverrides": {"x": [{"quant_typ": "QInt8"}]}})"),
      "axis 'quantizer.ort_options': TensorQuantOverrides of tensor 'x': unknown key 'quant_typ'; nearest known key is "
      "'quant_type'");
}

}  // namespace
}  // namespace assay::spec
