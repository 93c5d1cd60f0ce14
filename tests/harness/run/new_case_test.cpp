// SPDX-License-Identifier: Apache-2.0
#include "harness/run/new_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/run/variant.h"
#include "harness/spec/data_source.h"
#include "harness/spec/model_source.h"
#include "tests/harness/run/small_case.h"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using reports::Outcome;
using reports::VariantResult;
using spec::Json;
using testing::HasSubstr;

VariantResult measured(const std::string& isa, double max_error, double sqnr) {
  VariantResult result;
  result.configuration["runtime.isa"] = isa;
  result.measurements = {{.metric = "sqnr_db", .output = "y", .value = sqnr, .low = {}, .high = {}, .n = 4},
                         {.metric = "max_abs_error", .output = "y", .value = max_error, .low = {}, .high = {}, .n = 4}};
  return result;
}

TEST(MeasuredExpectations, AreTheWorstWithHeadRoom) {
  const Json expect = measured_expectations({measured("scalar", 0.101, 40.2), measured("avx512", 0.0811, 41)}, 1.5);
  // 0.101 x 1.5 = 0.1515; 40.2 - 20 log10(1.5) = 36.68
  EXPECT_EQ(expect, Json::parse(R"([{"metric": "max_abs_error", "at_most": 0.16},
                                    {"metric": "sqnr_db", "at_least": 36.5}])"));
}

TEST(MeasuredExpectations, AnInstructionSetThatIsWorseHasItsOwn) {
  const Json expect = measured_expectations({measured("scalar", 0.1, 40), measured("avx2", 5, 10)}, 1);
  EXPECT_EQ(expect, Json::parse(R"([
    {"metric": "max_abs_error", "at_most": 0.1, "when": {"runtime.isa": "scalar"}},
    {"metric": "sqnr_db", "at_least": 40.0, "when": {"runtime.isa": "scalar"}},
    {"metric": "max_abs_error", "at_most": 5.0, "when": {"runtime.isa": "avx2"}},
    {"metric": "sqnr_db", "at_least": 10.0, "when": {"runtime.isa": "avx2"}}])"));
}

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

TEST_F(NewCaseFiles, PassAtOnceAlsoWhereAvx2Saturates) {
  NewCaseOptions options;
  options.model = save_saturating_model();
  options.file = folder_ + "/cases/mine.json";
  const std::string input = folder_ + "/nets/x.npy";
  const std::vector<float> values = {255, 254};
  ASSERT_TRUE(spec::save_npy(input, Tensor::from<float>({1, 2}, values)).ok());
  options.inputs = {"x=" + input};
  const Result<NewCase> made = make_case(options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made.value().results.size(), 6U);
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kPass, 6}})) << made.value().text;
  const Json json = Json::parse(made.value().text);
  EXPECT_EQ(json.at("name"), "mine");
  EXPECT_EQ(json.at("model").at("path"), "../nets/net.onnx");
  EXPECT_EQ(json.at("inputs").at("x").at("npy"), "../nets/x.npy");
  bool own = false;
  for (const Json& check : json.at("expect")) {
    own = own || (check.contains("when") && check.at("when").at("runtime.isa") == "avx2");
  }
  EXPECT_TRUE(own) << made.value().text;
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
  EXPECT_EQ(outcomes(made.value().results), (std::map<Outcome, int>{{Outcome::kPass, 6}})) << made.value().text;
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
