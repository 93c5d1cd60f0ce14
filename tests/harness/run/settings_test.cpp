// SPDX-License-Identifier: Apache-2.0
#include "harness/run/settings.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/output_file.h"
#include "harness/run/output_folder.h"

namespace assay::run {
namespace {

using spec::Configuration;
using spec::Json;

Configuration with(const std::string& axis, const Json& value) {
  Configuration configuration;
  configuration.set(axis, value);
  return configuration;
}

TEST(Settings, DefaultsAreThoseOfTheEngine) {
  const Result<quantizer::Options> quantizer = quantizer_options({}, "");
  ASSERT_TRUE(quantizer.ok()) << quantizer.error().message;
  const quantizer::Options& options = quantizer.value();
  EXPECT_EQ(options.format, quantizer::Format::kQdq);
  EXPECT_EQ(options.activation_type, DType::kUint8);
  EXPECT_EQ(options.weight_type, DType::kInt8);
  EXPECT_FALSE(options.activation_symmetric);
  EXPECT_TRUE(options.weight_symmetric);
  EXPECT_EQ(options.weight_range, quantizer::RangeKind::kNarrow);
  EXPECT_EQ(options.activation_range, quantizer::RangeKind::kFull);
  EXPECT_EQ(options.relu, quantizer::ReluPolicy::kSafe);
  const Result<api::SessionOptions> session = session_options({});
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.value().optimization, api::Optimization::kAll);
  EXPECT_EQ(session.value().profile.isa, best_isa(host_features()));
  EXPECT_EQ(session.value().profile.precision, Precision::kFast);
  EXPECT_EQ(session.value().threads, 1);
  EXPECT_EQ(batch_size({}), std::nullopt);
  EXPECT_TRUE(quantizes({}));
}

TEST(Settings, EveryAxisReachesItsOption) {
  Configuration c;
  c.set("quantizer.format", "qoperator");
  c.set("quantizer.activation_type", "int8");
  c.set("quantizer.weight_type", "uint8");
  c.set("quantizer.activation_symmetric", true);
  c.set("quantizer.weight_symmetric", false);
  c.set("quantizer.per_channel", true);
  c.set("quantizer.reduce_range", true);
  c.set("quantizer.activation_range", "narrow");
  c.set("quantizer.weight_range", "full");
  c.set("quantizer.relu", "drop");
  c.set("quantizer.op_types", Json::array({"Conv"}));
  c.set("quantizer.nodes_to_quantize", Json::array({"a"}));
  c.set("quantizer.nodes_to_exclude", Json::array({"b"}));
  c.set("quantizer.ranges", Json({{"x", {-1, 2}}}));
  c.set("quantizer.overrides",
        Json({{"y", {{"type", "int8"}, {"scale", 0.5}, {"zero_point", 3}, {"symmetric", true}}}}));
  const Result<quantizer::Options> made = quantizer_options(c, "");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const quantizer::Options& o = made.value();
  EXPECT_EQ(o.format, quantizer::Format::kQOperator);
  EXPECT_EQ(o.activation_type, DType::kInt8);
  EXPECT_EQ(o.weight_type, DType::kUint8);
  EXPECT_TRUE(o.activation_symmetric);
  EXPECT_FALSE(o.weight_symmetric);
  EXPECT_TRUE(o.per_channel);
  EXPECT_TRUE(o.reduce_range);
  EXPECT_EQ(o.activation_range, quantizer::RangeKind::kNarrow);
  EXPECT_EQ(o.weight_range, quantizer::RangeKind::kFull);
  EXPECT_EQ(o.relu, quantizer::ReluPolicy::kDrop);
  EXPECT_EQ(o.op_types, std::vector<std::string>{"Conv"});
  EXPECT_EQ(o.nodes_to_quantize, std::vector<std::string>{"a"});
  EXPECT_EQ(o.nodes_to_exclude, std::vector<std::string>{"b"});
  EXPECT_EQ(o.ranges.at("x"), (std::pair<double, double>{-1, 2}));
  EXPECT_EQ(o.overrides.at("y").type, DType::kInt8);
  EXPECT_EQ(o.overrides.at("y").scale, 0.5);
  EXPECT_EQ(o.overrides.at("y").zero_point, 3);
  EXPECT_EQ(o.overrides.at("y").symmetric, true);
  EXPECT_EQ(o.overrides.at("y").min, std::nullopt);

  Configuration r;
  r.set("runtime.optimization", "basic");
  r.set("runtime.isa", "avx2");
  r.set("runtime.precision", "exact");
  r.set("runtime.threads", 3);
  r.set("runtime.batch", 8);
  r.set("runtime.disable_passes", Json::array({"fold_constants"}));
  const Result<api::SessionOptions> session = session_options(r);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session.value().optimization, api::Optimization::kBasic);
  EXPECT_EQ(session.value().profile.isa, Isa::kAvx2);
  EXPECT_EQ(session.value().profile.precision, Precision::kExact);
  EXPECT_EQ(session.value().threads, 3);
  EXPECT_EQ(session.value().disabled_passes, std::vector<std::string>{"fold_constants"});
  EXPECT_EQ(batch_size(r), 8);
}

TEST(Settings, ExternalRuntimesGetLevelThreadsAndTheirOwnOptions) {
  spec::Configuration r = with("runtime.name", "other");
  r.set("runtime.optimization", "extended");
  r.set("runtime.threads", 2);
  r.set("runtime.options", {{"session.x64quantprecision", "1"}});
  EXPECT_TRUE(is_external(r));
  EXPECT_FALSE(is_external({}));
  const LoadOptions options = external_options(r);
  EXPECT_EQ(options.optimization, "extended");
  EXPECT_EQ(options.threads, 2);
  EXPECT_EQ(options.config, Json({{"session.x64quantprecision", "1"}}));
}

TEST(Settings, WhatTheBuildLacksIsNamedWithWhatItHas) {
  EXPECT_EQ(session_options(with("runtime.name", "onnxruntime")).error().message,
            "runtime.name=onnxruntime cannot be used here, where only assay's own runtime runs");
  const Result<api::SessionOptions> sve = session_options(with("runtime.isa", "sve"));
  ASSERT_FALSE(sve.ok());
  EXPECT_EQ(sve.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(sve.error().message.find("auto, scalar, sse41"), std::string::npos);
}

TEST(Settings, EveryValueOfTheIsaAxisIsInTheBuild) {
  for (const char* isa : {"auto", "scalar", "sse41", "avx2", "avx512", "avx_vnni", "avx512_vnni", "amx_int8", "neon",
                          "neon_dot", "neon_i8mm"}) {
    EXPECT_TRUE(session_options(with("runtime.isa", isa)).ok()) << isa;
  }
  EXPECT_EQ(session_options(with("runtime.isa", "neon_i8mm")).value().profile.isa, Isa::kNeonI8mm);
}

TEST(Settings, CalibrationAxesHaveTheirPlaces) {
  Configuration c;
  c.set("quantizer.calibration", "mean_sigma");
  c.set("quantizer.calibration_symmetric", true);
  c.set("quantizer.percentile", 99);
  c.set("quantizer.bins", 512);
  c.set("quantizer.moving_average_constant", 0.5);
  c.set("quantizer.sigmas", 4);
  c.set("quantizer.calibration_stride", 3);
  const quantizer::CalibrationOptions o = quantizer_options(c, "").value().calibration;
  EXPECT_EQ(o.method, quantizer::Calibration::kMeanSigma);
  EXPECT_TRUE(o.symmetric);
  EXPECT_EQ(o.percentile, 99);
  EXPECT_EQ(o.bins, 512);
  EXPECT_EQ(o.moving_average_constant, 0.5);
  EXPECT_EQ(o.sigmas, 4);
  EXPECT_EQ(o.stride, 3);
  const quantizer::CalibrationOptions fallback = quantizer_options({}, "").value().calibration;
  EXPECT_EQ(fallback.method, quantizer::Calibration::kMinMax);
  EXPECT_EQ(fallback.percentile, 99.99);
  EXPECT_EQ(fallback.bins, 2048);
  EXPECT_EQ(fallback.stride, quantizer::kCollectAuto);
  EXPECT_EQ(quantizer_options(with("quantizer.calibration_stride", "all"), "").value().calibration.stride,
            quantizer::kCollectAll);
}

TEST(Settings, RangesComeFromAFileBesideTheCase) {
  const std::string folder = (std::filesystem::path(testing::TempDir()) / "settings_test").string();
  ASSERT_TRUE(prepare_folder(folder).ok());
  ASSERT_TRUE(replace_file(folder + "/r.json", R"({"x": [-1, 2]})").ok());
  ASSERT_TRUE(replace_file(folder + "/bad.json", R"({"x": 3})").ok());
  const Result<quantizer::Options> options = quantizer_options(with("quantizer.ranges", "r.json"), folder);
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options.value().ranges.at("x"), (std::pair<double, double>{-1, 2}));
  EXPECT_FALSE(quantizer_options(with("quantizer.ranges", "bad.json"), folder).ok());
  EXPECT_FALSE(quantizer_options(with("quantizer.ranges", "missing.json"), folder).ok());
  std::filesystem::remove_all(folder);
}

TEST(Settings, KeyTellsQuantizedModelsApart) {
  EXPECT_EQ(quantizer_key(with("runtime.isa", "avx2")), quantizer_key({}));
  EXPECT_EQ(quantizer_key(with("quantizer.relu", "safe")), quantizer_key({}));
  EXPECT_NE(quantizer_key(with("quantizer.relu", "drop")), quantizer_key({}));
}

}  // namespace
}  // namespace assay::run
