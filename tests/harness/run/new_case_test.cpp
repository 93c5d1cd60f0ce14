// SPDX-License-Identifier: Apache-2.0
#include "harness/run/new_case.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/run/variant.h"
#include "harness/spec/data_source.h"
#include "harness/spec/model_source.h"
#include "tests/harness/run/external/fake_adapter.h"
#include "tests/harness/run/small_case.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using reports::Outcome;
using reports::VariantResult;
using spec::Json;
using testing::HasSubstr;

class NewCaseFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::path(testing::TempDir()) /
               ("new_case_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name())))
                  .string();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/cases");
    fs::create_directories(folder_ + "/nets");
  }
  void TearDown() override { fs::remove_all(folder_); }

  // The weights and inputs of which pairs saturate in int16.
  std::string save_saturating_model() const {
    const std::string text = R"({"name": "c", "model": {"graph": {"opset": 13,
      "inputs": {"x": {"type": "float32", "shape": [1, 2]}},
      "initializers": {"w": {"type": "float32", "shape": [2, 2], "data": [1, 0.25, 1, 0.5]}},
      "nodes": [{"op": "MatMul", "name": "mm", "inputs": ["x", "w"], "outputs": ["y"]}],
      "outputs": {"y": {"type": "float32", "shape": [1, 2]}}}}})";
    const std::string path = folder_ + "/nets/net.onnx";
    EXPECT_TRUE(spec::load_model(test::parse(text)).value().save(path).ok());
    return path;
  }
  std::string folder_;
};

std::map<Outcome, int> outcomes(const std::vector<VariantResult>& results) {
  std::map<Outcome, int> counts;
  for (const VariantResult& result : results) {
    ++counts[result.outcome];
  }
  return counts;
}

NewCaseOptions saturating(const std::string& folder, const std::string& model) {
  NewCaseOptions options;
  options.model = model;
  options.file = folder + "/cases/mine.json";
  const std::string input = folder + "/nets/x.npy";
  const std::vector<float> values = {255, 254};
  EXPECT_TRUE(spec::save_npy(input, Tensor::from<float>({1, 2}, values)).ok());
  options.inputs = {"x=" + input};
  return options;
}

// "answer=[[...]]": what that model gives on avx2, for the fake adapter.
std::string saturated_answer(const std::string& model) {
  const spec::Case test_case =
      test::parse(fmt::format(R"({{"name": "c", "model": {{"path": "{}"}}, "inputs": {{"x": {{"values": [255, 254]}}}},
                                  "matrix": {{"runtime.isa": "avx2"}}}})",
                              model));
  RuntimeHost host;
  Execution execution(test_case, host);
  const api::NamedTensors outputs = execution.outputs_of(spec::expand(test_case).value().front().configuration).value();
  const auto values = outputs.at("y").data<float>();
  return fmt::format("answer=[[{}, {}]]", values[0], values[1]);
}

// The entries of `expect` that state an outcome.
std::vector<Json> claims_in(const std::string& text) {
  const Json json = Json::parse(text);
  std::vector<Json> claims;
  for (const Json& entry : json.at("expect")) {
    if (entry.contains("outcome")) {
      claims.push_back(entry);
    }
  }
  return claims;
}

TEST_F(NewCaseFiles, DoNotBlessWhatSaturates) {
  const NewCaseOptions options = saturating(folder_, save_saturating_model());
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().results.size(), 6U);
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kPass, 5}, {Outcome::kXfail, 1}}))
      << made.value().text;
  for (const VariantResult& result : made.value().results) {
    EXPECT_TRUE(result.warnings.empty()) << result.warnings.front();  // the cause is confirmed
  }
  const Json json = Json::parse(made.value().text);
  EXPECT_EQ(json.at("name"), "mine");
  EXPECT_EQ(json.at("model").at("path"), "../nets/net.onnx");
  EXPECT_EQ(json.at("inputs").at("x").at("npy"), "../nets/x.npy");
  const std::vector<Json> claims = claims_in(made.value().text);
  ASSERT_EQ(claims.size(), 1U) << made.value().text;
  EXPECT_EQ(claims[0].at("when"), Json::parse(R"({"runtime.optimization": "all", "runtime.isa": "avx2"})"));
  EXPECT_EQ(claims[0].at("cause"), "pair-saturation");
  ASSERT_EQ(made.value().findings.size(), 1U);
  EXPECT_THAT(made.value().findings[0], HasSubstr("runtime.isa=avx2"));
  EXPECT_THAT(json.at("description").get<std::string>(), HasSubstr(made.value().findings[0]));
}

TEST_F(NewCaseFiles, DoNotBlessTheOnlyConfigurationEither) {
  NewCaseOptions options = saturating(folder_, save_saturating_model());
  options.matrix = {{"runtime.isa", {"avx2"}}};
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kXfail, 1}})) << made.value().text;
  const std::vector<Json> claims = claims_in(made.value().text);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_FALSE(claims[0].contains("when"));
  EXPECT_EQ(claims[0].at("cause"), "pair-saturation");
}

TEST_F(NewCaseFiles, DoNotBlessADroppedClamp) {
  const std::string text = R"({"name": "c", "model": {"graph": {"opset": 13,
    "inputs": {"x": {"type": "float32", "shape": [1, 1, 2, 2]}},
    "initializers": {"w": {"type": "float32", "shape": [1, 1, 1, 1], "data": [1]}},
    "nodes": [{"op": "Conv", "name": "conv", "inputs": ["x", "w"], "outputs": ["c"]},
              {"op": "Relu", "name": "relu", "inputs": ["c"], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [1, 1, 2, 2]}}}}})";
  NewCaseOptions options;
  options.model = folder_ + "/nets/relu.onnx";
  ASSERT_TRUE(spec::load_model(test::parse(text)).value().save(options.model).ok());
  options.file = folder_ + "/cases/mine.json";
  options.matrix = {{"quantizer.relu", {"safe", "drop"}},
                    {"quantizer.activation_symmetric", {false, true}},
                    {"runtime.isa", {"scalar"}}};
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kPass, 3}, {Outcome::kXfail, 1}}))
      << made.value().text;
  const std::vector<Json> claims = claims_in(made.value().text);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].at("when"), Json::parse(R"({"quantizer.activation_symmetric": true, "quantizer.relu": "drop"})"));
  EXPECT_EQ(claims[0].at("cause"), "relu-dropped");
}

TEST_F(NewCaseFiles, NameTheCauseOfAnExternalRuntimeThatSaturates) {
  NewCaseOptions options = saturating(folder_, save_saturating_model());
  options.matrix = {{"runtime.name", {"assay", "fake"}}, {"runtime.isa", {"scalar"}}};
  const test::FakeRegistry registry(saturated_answer(options.model));
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made.value().findings.size(), 1U) << made.value().text;
  EXPECT_THAT(made.value().findings[0], HasSubstr("runtime.name=fake: "));
  EXPECT_THAT(made.value().findings[0], HasSubstr("(pair-saturation); own tolerances"));
}

TEST_F(NewCaseFiles, ASettingThatCostsAccuracyHasItsOwnTolerancesAndItsCause) {
  NewCaseOptions options;
  options.model = save_saturating_model();
  options.file = folder_ + "/cases/mine.json";
  options.matrix = {{"quantizer.weight_type", {"int8", "int4"}}, {"runtime.isa", {"scalar"}}};
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kPass, 2}})) << made.value().text;
  EXPECT_TRUE(claims_in(made.value().text).empty());
  ASSERT_EQ(made.value().findings.size(), 1U);
  EXPECT_THAT(made.value().findings[0], HasSubstr("quantizer.weight_type=int4"));
  EXPECT_THAT(made.value().findings[0], HasSubstr("rounding"));
}

TEST_F(NewCaseFiles, CalibrationDataThatDoNotFitAreSaid) {
  NewCaseOptions options = saturating(folder_, save_saturating_model());
  options.matrix = {{"runtime.isa", {"scalar"}}};
  options.calibration = folder_ + "/nets/calibration";
  fs::create_directories(options.calibration + "/test_data_set_0");
  const std::vector<float> values = {1, 1};
  ASSERT_TRUE(
      spec::save_npy(options.calibration + "/test_data_set_0/input_0.npy", Tensor::from<float>({1, 2}, values)).ok());
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made.value().findings.size(), 1U) << made.value().text;
  EXPECT_THAT(made.value().findings[0], HasSubstr("calibration-range"));
}

TEST_F(NewCaseFiles, ALabelledSetGivesAccuracy) {
  NewCaseOptions options;
  options.model = save_saturating_model();
  options.file = folder_ + "/cases/mine.json";
  const std::vector<float> values = {1, 2, 3, -4, 5, -6, -7, 8};
  ASSERT_TRUE(spec::save_npy(folder_ + "/nets/x.npy", Tensor::from<float>({4, 2}, values)).ok());
  const std::vector<Index> labels = {0, 1, 1, 0};
  ASSERT_TRUE(spec::save_npy(folder_ + "/nets/y.npy", Tensor::from<Index>({4}, labels)).ok());
  options.inputs = {"x=" + folder_ + "/nets/x.npy"};
  options.labels = folder_ + "/nets/y.npy";
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kPass, 5}, {Outcome::kXfail, 1}}))
      << made.value().text;
  const Json json = Json::parse(made.value().text);
  EXPECT_EQ(json.at("expect").at(0).at("metric"), "top1_accuracy");
  EXPECT_EQ(json.at("calibration").at("x").at("samples"), 4);
}

TEST_F(NewCaseFiles, RandomValuesAreTakenWhereNothingIsGiven) {
  NewCaseOptions options;
  options.model = save_saturating_model();
  options.matrix = {{"quantizer.format", {"none"}}, {"runtime.isa", {"scalar"}}};
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(Json::parse(made.value().text).at("inputs"), Json::parse(R"({"x": {"random": {"seed": 1}}})"));
  EXPECT_EQ(Json::parse(made.value().text).at("expect"),
            Json::parse(R"([{"metric": "max_abs_error", "at_most": 0.0}])"));
}

TEST_F(NewCaseFiles, MistakesAreNamed) {
  NewCaseOptions options;
  options.model = folder_ + "/nets/none.onnx";
  EXPECT_FALSE(make_case(options).ok());
  options.model = save_saturating_model();
  options.inputs = {"z=a.npy"};
  EXPECT_EQ(make_case(options).error().message,
            "--input 'z=a.npy': NAME=FILE.npy is needed, where the model's inputs are x");
  options.inputs = {"x=" + folder_ + "/none.npy"};
  EXPECT_THAT(make_case(options).error().message, HasSubstr("could not be measured"));
  options.inputs = {};
  options.name = "a b";
  EXPECT_THAT(make_case(options).error().message, HasSubstr("'name' must not contain spaces"));
  options.name = "";
  options.matrix = {{"runtime.disable_passes", {Json::parse(R"(["no_such_pass"])")}}};
  EXPECT_THAT(make_case(options).error().message, HasSubstr("no_such_pass"));
}

}  // namespace
}  // namespace assay::run
