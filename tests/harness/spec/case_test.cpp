// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace assay::spec {
namespace {

namespace fs = std::filesystem;
using Messages = std::vector<std::string>;

CaseOrErrors with(const std::string& members) {
  return parse_case("dir/f.json", R"({"name": "c", "model": {"path": "m.onnx"},)" + std::string("\n") + members + "}");
}

Messages errors_with(const std::string& members) { return with(members).errors; }

TEST(Case, ReadsTheExampleOfTheDesign) {
  const CaseOrErrors parsed = parse_case("cases/reported/a.json", R"({
  "$schema": "../schema/case.schema.json",
  "name": "reported/conv_relu_symmetric",
  "description": "Relu after Conv is lost when activations are symmetric",
  "tags": ["relu", "smoke"],
  "model": { "path": "model.onnx" },
  "inputs": { "x": { "constant": -127 } },
  "calibration": { "x": [ { "constant": -127 }, { "constant": 127 } ] },
  "matrix": {
    "quantizer.activation_symmetric": [false, true],
    "quantizer.relu": ["safe", "drop"],
    "runtime.optimization": ["none", "all"],
    "runtime.isa": ["scalar", "avx2", "avx512_vnni"]
  },
  "expect": [
    { "metric": "max_abs_error", "at_most": 0.5 },
    { "when": { "quantizer.relu": "drop", "quantizer.activation_symmetric": true },
      "outcome": "xfail", "reason": "zero point 128 leaves negatives", "cause": "relu-dropped" }
  ],
  "weak_ok": "the report's own input: one value, right answer 0",
  "timing": { "compare": "runtime.isa", "baseline": "avx2", "at_least_speedup": 1.5 }
})");
  ASSERT_TRUE(parsed.value) << parsed.errors.front();
  const Case& result = *parsed.value;
  EXPECT_EQ(result.path, "cases/reported/a.json");
  EXPECT_EQ(result.folder, "cases/reported");
  EXPECT_EQ(result.name, "reported/conv_relu_symmetric");
  EXPECT_EQ(result.description, "Relu after Conv is lost when activations are symmetric");
  EXPECT_EQ(result.tags, (Messages{"relu", "smoke"}));
  EXPECT_EQ(result.model.kind, ModelKind::kPath);
  EXPECT_EQ(result.model.path, "cases/reported/model.onnx");
  ASSERT_EQ(result.inputs.size(), 1U);
  EXPECT_EQ(result.inputs[0].first, "x");
  ASSERT_EQ(result.calibration.size(), 1U);
  EXPECT_EQ(result.calibration[0].second.samples.size(), 2U);
  ASSERT_EQ(result.matrix.size(), 4U);
  EXPECT_EQ(result.matrix[3].first, "runtime.isa");
  EXPECT_EQ(result.matrix[3].second.size(), 3U);
  ASSERT_EQ(result.expectations.size(), 2U);
  const Check& check = std::get<Check>(result.expectations[0].what);
  EXPECT_EQ(check.metric, "max_abs_error");
  EXPECT_EQ(check.at_most, 0.5);
  EXPECT_FALSE(check.at_least);
  EXPECT_EQ(check.output, "");
  const Claim& claim = std::get<Claim>(result.expectations[1].what);
  EXPECT_EQ(claim.kind, ClaimKind::kXfail);
  EXPECT_EQ(claim.reason, "zero point 128 leaves negatives");
  EXPECT_EQ(claim.cause, "relu-dropped");
  EXPECT_EQ(result.expectations[1].element.where(), "cases/reported/a.json:17:5");
  EXPECT_EQ(result.weak_ok, "the report's own input: one value, right answer 0");
  ASSERT_TRUE(result.timing);
  EXPECT_EQ(result.timing->compare, "runtime.isa");
  EXPECT_EQ(result.timing->baseline, "avx2");
  EXPECT_EQ(result.timing->at_least_speedup, 1.5);
  EXPECT_EQ(result.reference_for({}), nullptr);
}

TEST(Case, ReadsEveryKeyOfACheck) {
  const Case result = *with(R"("expect": [
    {"metric": "quantile_abs_error", "quantile": 0.5, "at_most": 2, "at_least": 1, "output": "y"},
    {"metric": "mismatch_share", "beyond_steps": 1, "at_most": 0},
    {"metric": "topk_agreement", "k": 3, "at_least": 0.9},
    {"metric": "node_count", "op": "QLinearConv", "graph": "quantized", "at_least": 1},
    {"metric": "node_count", "at_most": 9},
    {"metric": "exact"},
    {"outcome": "refused", "message": "no"}, {"outcome": "warned", "message": "Relu"}])")
                           .value;
  const auto check = [&](std::size_t i) { return std::get<Check>(result.expectations[i].what); };
  EXPECT_EQ(check(0).quantile, 0.5);
  EXPECT_EQ(check(0).at_least, 1);
  EXPECT_EQ(check(0).output, "y");
  EXPECT_EQ(check(1).beyond_steps, 1);
  EXPECT_EQ(check(2).k, 3);
  EXPECT_EQ(check(3).op, "QLinearConv");
  EXPECT_EQ(check(3).graph, "quantized");
  EXPECT_EQ(check(4).graph, "optimized");
  EXPECT_EQ(std::get<Claim>(result.expectations[6].what).message, "no");
  EXPECT_EQ(std::get<Claim>(result.expectations[7].what).kind, ClaimKind::kWarned);
}

TEST(Case, RefusesChecksThatMeanNothing) {
  EXPECT_EQ(errors_with(R"("expect": [{"metric": "rmse"}])"),
            Messages{"dir/f.json:2:12: a check of 'rmse' needs 'at_most' or 'at_least'"});
  EXPECT_EQ(errors_with(R"("expect": [{"metric": "rmse", "at_most": 1, "at_least": 2}])"),
            Messages{"dir/f.json:2:57: 'at_least' is above 'at_most': nothing can pass"});
  EXPECT_EQ(errors_with(R"("expect": [{"metric": "rmse", "at_most": 1, "k": 2}])"),
            Messages{"dir/f.json:2:45: 'k' belongs to the metric 'topk_agreement', not to 'rmse'"});
  EXPECT_EQ(errors_with(R"("expect": [{"metric": "peak_bytes", "at_most": 1, "output": "y"}])"),
            Messages{"dir/f.json:2:51: 'peak_bytes' is of the whole run, not of an output"});
  EXPECT_EQ(errors_with(R"("expect": [{"outcome": "xfail"}])"), Messages{"dir/f.json:2:12: an xfail needs a 'reason'"});
  EXPECT_EQ(errors_with(R"("expect": [{"outcome": "refused", "message": "m", "cause": "other"}])"),
            Messages{"dir/f.json:2:51: 'cause' belongs to xfail, not to refused"});
  EXPECT_EQ(errors_with(R"("expect": [{"outcome": "warned"}])"),
            Messages{"dir/f.json:2:12: 'warned' needs the 'message' that is expected"});
}

TEST(Case, ReadsReferences) {
  const Case result = *with(R"("reference": [
    {"when": {"runtime.isa": "avx2"}, "configuration": {"runtime.isa": "avx512_vnni", "runtime.optimization": "all"}},
    {"when": {"runtime.isa": "avx512"}, "golden": "gold"}, {"when": {"runtime.isa": "scalar"}, "runtime": "onnxruntime"},
    {"values": {"y": [[1, 2]]}}])")
                           .value;
  ASSERT_EQ(result.references.size(), 4U);
  const auto& first = std::get<ConfigurationReference>(result.references[0].what).configuration;
  EXPECT_EQ(first.text("runtime.isa"), "avx512_vnni");
  EXPECT_EQ(first.text("runtime.optimization"), "all");
  EXPECT_EQ(first.text("quantizer.format"), "none");
  EXPECT_EQ(std::get<GoldenReference>(result.references[1].what).path, "dir/gold");
  EXPECT_EQ(std::get<RuntimeReference>(result.references[2].what).runtime, "onnxruntime");
  EXPECT_EQ(std::get<ValuesReference>(result.references[3].what).outputs[0].first, "y");
  Configuration configuration;
  EXPECT_EQ(result.reference_for(configuration), &result.references[3]);
  configuration.set("runtime.isa", "avx512");
  EXPECT_EQ(result.reference_for(configuration), &result.references[1]);
  EXPECT_EQ(with(R"("reference": {"golden": "g"})").value->references.size(), 1U);
  EXPECT_EQ(errors_with(R"("reference": {"configuration": {"runtime.isa": ["avx2", "scalar"]}})"),
            Messages{"dir/f.json:2:48: axis 'runtime.isa' needs one value here, found 2"});
}

TEST(Case, FloatReferenceIsScalarAndUnoptimised) {
  const Configuration reference = float_reference();
  EXPECT_EQ(reference.text("quantizer.format"), "none");
  EXPECT_EQ(reference.text("runtime.optimization"), "none");
  EXPECT_EQ(reference.text("runtime.isa"), "scalar");
}

TEST(Case, ChecksTheBaselineOfTiming) {
  EXPECT_EQ(errors_with(R"("timing": {"compare": "runtime.isa", "baseline": "avx3"})")[0].substr(0, 54),
            "dir/f.json:2:50: unknown value 'avx3' of axis 'runtime");
  EXPECT_EQ(
      errors_with(R"("matrix": {"runtime.isa": ["avx2"]}, "timing": {"compare": "runtime.isa", "baseline": "scalar"})"),
      Messages{"dir/f.json:2:87: no variant of the matrix has runtime.isa=scalar, so there is no baseline to "
               "compare with"});
  EXPECT_TRUE(with(R"("timing": {"compare": "runtime.threads", "baseline": 1})").value);
}

TEST(Case, RefusesCalibrationOfUnequalLength) {
  EXPECT_EQ(errors_with(R"("calibration": {"x": [{"constant": 1}], "y": [{"constant": 1}, {"constant": 2}]})"),
            Messages{"dir/f.json:2:46: calibration of 'y' has 2 samples, that of other inputs 1"});
  EXPECT_EQ(errors_with(R"("calibration": {"x": {"constant": 1}})"),
            Messages{"dir/f.json:2:22: one source of all samples needs 'samples', or give a list with one source a "
                     "sample"});
}

TEST(Case, RefusesOtherContradictions) {
  EXPECT_EQ(errors_with(R"("inputs": {"x": {"constant": 1, "scale": 2}})"),
            Messages{"dir/f.json:2:33: 'scale' and 'offset' apply to npy, npz and pb"});
  EXPECT_EQ(errors_with(R"("exclude": [{}])"),
            Messages{"dir/f.json:2:13: an exclude entry without an axis would drop every variant"});
  EXPECT_EQ(errors_with(R"("inputs": {}, "dataset": {"inputs": {}, "labels": [1]})"),
            Messages{"dir/f.json:2:15: a case has 'inputs' or a 'dataset', not both"});
  EXPECT_EQ(parse_case("f.json", R"({"name": "a b", "model": {"path": "m"}})").errors,
            Messages{"f.json:1:10: 'name' must not contain spaces, commas, brackets, equals signs, control "
                     "characters or characters that cannot be seen"});
  EXPECT_THAT(parse_case("f.json", "{\"name\": \"a\u202Eb\", \"model\": {\"path\": \"m\"}}").errors,
              testing::ElementsAre(testing::HasSubstr("characters that cannot be seen")));
  EXPECT_THAT(parse_case("f.json", "{\"name\": \"a\u0085b\", \"model\": {\"path\": \"m\"}}").errors,
              testing::ElementsAre(testing::HasSubstr("control characters")));
}

class CaseFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("assay_case_files_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
               "_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string write_case(const std::string& file, const std::string& name) {
    return write(file, "{\"name\": \"" + name + "\", \"model\": {\"path\": \"m.onnx\"}}");
  }

  fs::path folder_;
};

TEST_F(CaseFiles, SearchesFoldersExceptDataAndModels) {
  write_case("b.json", "b");
  write_case("a/a.json", "a");
  write("data/ranges.json", "{}");
  write("a/models/m.json", "no json");
  write("a/readme.txt", "no json");
  write("assay-out/results.jsonl", "");  // what a run wrote
  write("assay-out/benchmark.json", "{}");
  write("reports/verdict.json", "{}");
  const CaseSet set = load_cases({folder_.string()});
  EXPECT_EQ(set.errors, Messages{});
  ASSERT_EQ(set.cases.size(), 2U);
  EXPECT_EQ(set.cases[0].name, "a");
  EXPECT_EQ(set.cases[1].name, "b");
}

TEST_F(CaseFiles, ReportsBrokenFilesBesideTheGoodOnes) {
  write_case("a.json", "a");
  const std::string broken = write("b.json", "{\"name\": 1}");
  const CaseSet set = load_cases({folder_.string(), (folder_ / "missing.json").string()});
  EXPECT_EQ(set.cases.size(), 1U);
  EXPECT_EQ(set.errors,
            (Messages{broken + ":1:1: the case has no 'model'", broken + ":1:10: 'name' must be a text, found 1",
                      (folder_ / "missing.json").string() + ": cannot be read: No such file or directory"}));
}

// A case that cannot be read must not fall out of the run.
TEST_F(CaseFiles, ReportsWhatCannotBeRead) {
  write_case("a.json", "a");
  fs::create_symlink(folder_ / "gone", folder_ / "dangling.json");
  fs::create_symlink("loop.json", folder_ / "loop.json");
  ASSERT_EQ(mkfifo((folder_ / "pipe.json").c_str(), 0600), 0);
  fs::create_directories(folder_ / "empty.json");
  const CaseSet set = load_cases({folder_.string()});
  EXPECT_EQ(set.cases.size(), 1U);
  ASSERT_EQ(set.errors.size(), 3U);
  EXPECT_EQ(set.errors[0].find((folder_ / "dangling.json").string()), 0U) << set.errors[0];
  EXPECT_EQ(set.errors[1].find((folder_ / "loop.json").string()), 0U) << set.errors[1];
  EXPECT_EQ(set.errors[2].find((folder_ / "pipe.json").string()), 0U) << set.errors[2];
}

TEST_F(CaseFiles, SaysThatAModelIsNoCase) {
  const std::string model = write("m.onnx", "x");
  const CaseSet set = load_cases({model});
  ASSERT_EQ(set.errors.size(), 1U);
  EXPECT_NE(set.errors[0].find("this is a model, not a case"), std::string::npos) << set.errors[0];
}

TEST_F(CaseFiles, RefusesTwoCasesOfOneName) {
  const std::string first = write_case("a.json", "same");
  const std::string second = write_case("b.json", "same");
  const CaseSet set = load_cases({folder_.string()});
  EXPECT_EQ(set.cases.size(), 1U);
  EXPECT_EQ(set.errors, Messages{second + ":1:10: case 'same' is also in " + first});
}

TEST_F(CaseFiles, CountsAFileNamedTwiceOnce) {
  const std::string file = write_case("a.json", "a");
  const CaseSet set = load_cases({file, folder_.string(), folder_.string() + "/./a.json"});
  EXPECT_EQ(set.errors, Messages{});
  EXPECT_EQ(set.cases.size(), 1U);
}

}  // namespace
}  // namespace assay::spec
