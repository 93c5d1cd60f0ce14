// SPDX-License-Identifier: Apache-2.0
#include "harness/run/range_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/base/output_file.h"
#include "tests/support/random.h"

namespace assay::run {
namespace {

using Ranges = std::map<std::string, std::pair<double, double>>;
using spec::Json;

class RangeFiles : public testing::Test {
 protected:
  ~RangeFiles() override { (void)std::remove(path_.c_str()); }
  Result<RangeFile> read(const std::string& text) {
    EXPECT_TRUE(replace_file(path_, text).ok());
    return read_ranges(path_);
  }
  std::string message(const std::string& text) {
    const Result<RangeFile> file = read(text);
    return file.ok() ? "" : file.error().message.substr(path_.size());
  }
  std::string path_ = testing::TempDir() + "/range_file_test";
};

TEST_F(RangeFiles, WhatIsWrittenIsReadBack) {
  test::Random random(12);
  RangeFileText text{.ranges = {{"a \"quoted\" name", {-1.5, 0.1}}, {"ü", {0, 1e-300}}},
                     .model_digest = "0123456789abcdef",
                     .settings = {{"quantizer.calibration", "percentile"}, {"quantizer.percentile", 99.9}},
                     .samples = 3,
                     .model = "m.onnx",
                     .data = Json::array({"d.npz"})};
  for (int i = 0; i < 200; ++i) {
    const double low = static_cast<double>(random.normal(0, 1e-3F));
    text.ranges["t" + std::to_string(i)] = {low, low + static_cast<double>(random.uniform(0, 1e5F))};
  }
  const Result<RangeFile> file = read(format_ranges(text));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file.value().ranges, text.ranges) << "seed " << test::test_seed();
  EXPECT_EQ(file.value().model_digest, text.model_digest);
  EXPECT_EQ(file.value().settings, text.settings);
  EXPECT_FALSE(file.value().foreign);
}

TEST_F(RangeFiles, HaveALineForEachTensor) {
  EXPECT_EQ(format_ranges({.ranges = {{"b", {-1, 2}}, {"a", {0.1, 0.5}}},
                           .model_digest = "d",
                           .settings = {{"quantizer.calibration", "minmax"}},
                           .samples = 2,
                           .model = "m.onnx",
                           .data = Json::array({"x"})}),
            "{\n \"format\": \"assay-ranges\",\n \"schema_version\": 1,\n \"model\": \"m.onnx\",\n"
            " \"model_digest\": \"d\",\n \"data\": [\"x\"],\n \"samples\": 2,\n"
            " \"calibration\": {\"quantizer.calibration\":\"minmax\"},\n \"ranges\": {\n"
            "  \"a\": [0.1, 0.5],\n  \"b\": [-1, 2]\n }\n}\n");
}

TEST_F(RangeFiles, PlainObjectsAndTables) {
  EXPECT_EQ(read(R"({"x": [-1, 2]})").value().ranges, (Ranges{{"x", {-1, 2}}}));
  EXPECT_FALSE(read(R"({"x": [-1, 2]})").value().foreign);
  const Result<RangeFile> list = read(R"([{"name": "x", "min": [-1], "max": 2, "scale": 3}])");
  EXPECT_EQ(list.value().ranges, (Ranges{{"x", {-1, 2}}}));
  EXPECT_TRUE(list.value().foreign);
}

TEST_F(RangeFiles, FaultsAreNamedWithTheirPlace) {
  EXPECT_EQ(message(R"({"x": [2, 1]})"), ":1:7: the range of tensor 'x' must have min <= max, found [2, 1]");
  EXPECT_EQ(message(R"({"x": 3})"), ":1:7: the range of tensor 'x' must be [min, max], found 3");
  EXPECT_EQ(message(R"([{"name": "x", "min": 1}])"),
            R"(:1:2: an entry of a range table must be {"name": text, "min": number, "max": number})");
  EXPECT_EQ(message(R"([{"name": "x", "min": 1, "max": 2}, {"name": "x", "min": 1, "max": 2}])"),
            ":1:46: tensor 'x' is there twice");
  EXPECT_EQ(message(R"({"format": "assay-ranges", "schema_version": 2, "ranges": {}})"),
            ":1:1: schema_version must be 1, found 2");
  EXPECT_NE(message(R"({"format": "assay-ranges", "schema_version": 1, "ranges": {}})"), "");
  const std::string own = R"({"format": "assay-ranges", "schema_version": 1, "model_digest": "", "ranges": {}, )";
  EXPECT_THAT(message(own + R"("calibration": {"quantizer.calibration": "fast"}})"), testing::HasSubstr("'fast'"));
  EXPECT_THAT(message(own + R"("calibration": {"quantizer.relu": "keep"}})"),
              testing::HasSubstr("'quantizer.relu' is no axis that ranges depend on"));
  EXPECT_THAT(message(own + R"("calibration": {}, "samples": "many"})"),
              testing::HasSubstr("samples must be a whole number, found many"));
  EXPECT_EQ(message(own + R"("calibration": {}, "samples": 3})"), "");
  EXPECT_NE(message(""), "");
  EXPECT_NE(message("{"), "");
  EXPECT_EQ(read_ranges("/nonexistent").error().kind, ErrorKind::kIo);
}

TEST_F(RangeFiles, SettingsThatDifferAreErrors) {
  spec::Configuration calibrated;
  calibrated.set("quantizer.calibration", "percentile");
  calibrated.set("quantizer.percentile", 99.9);
  RangeFile file;
  file.settings = calibration_settings(calibrated);
  EXPECT_EQ(file.settings.at("quantizer.bins"), 2048);
  EXPECT_FALSE(file.settings.contains("quantizer.sigmas"));
  EXPECT_FALSE(file.settings.contains("quantizer.activation_type"));
  EXPECT_TRUE(check_range_settings(file, "f", {}).ok());  // nothing was set: the file decides
  EXPECT_TRUE(check_range_settings(file, "f", calibrated).ok());
  spec::Configuration other;
  other.set("quantizer.calibration", "entropy");
  EXPECT_EQ(check_range_settings(file, "f", other).error().message,
            "quantizer.ranges: 'f' was calibrated with quantizer.calibration=percentile; this run has entropy");
  calibrated.set("quantizer.percentile", 99.99);
  EXPECT_FALSE(check_range_settings(file, "f", calibrated).ok());
  spec::Configuration mse;
  mse.set("quantizer.calibration", "mse");
  EXPECT_EQ(calibration_settings(mse).at("quantizer.activation_type"), "uint8");
}

TEST_F(RangeFiles, AByteOrderMarkIsNoPartOfTheText) {
  EXPECT_EQ(read("\xEF\xBB\xBFx,-1,2\n").value().ranges, (Ranges{{"x", {-1, 2}}}));
  EXPECT_EQ(read("\xEF\xBB\xBFname,min,max\nx,-1,2\n").value().ranges, (Ranges{{"x", {-1, 2}}}));
  EXPECT_EQ(read("\xEF\xBB\xBF{\"x\": [-1, 2]}").value().ranges, (Ranges{{"x", {-1, 2}}}));
}

}  // namespace
}  // namespace assay::run
