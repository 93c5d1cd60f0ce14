// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/expand.h"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

Case case_with(const std::string& members) {
  CaseOrErrors parsed = parse_case("t.json", R"({"name": "c", "model": {"path": "m.onnx"})" + members + "}");
  EXPECT_TRUE(parsed.value) << (parsed.errors.empty() ? "" : parsed.errors.front());
  return parsed.value.value_or(Case{});
}

std::vector<std::string> names_of(const std::string& members, const std::vector<std::string>& settings = {}) {
  ExpandOptions options;
  for (const std::string& text : settings) {
    options.settings.push_back(parse_setting(text).value());
  }
  std::vector<std::string> names;
  const auto variants = expand(case_with(members), options).value();
  for (const Variant& variant : variants) {
    names.push_back(variant.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Expand, CaseWithoutMatrixRunsOnce) {
  EXPECT_EQ(names_of(""), Names{"c"});
  EXPECT_EQ(names_of(R"(, "matrix": {})"), Names{"c"});
}

TEST(Expand, GoesThroughTheMatrixRowByRow) {
  EXPECT_EQ(names_of(R"(, "matrix": {"runtime.optimization": ["none", "all"], "runtime.isa": ["scalar", "avx2"]})"),
            (Names{"c[runtime.optimization=none,runtime.isa=scalar]", "c[runtime.optimization=none,runtime.isa=avx2]",
                   "c[runtime.optimization=all,runtime.isa=scalar]", "c[runtime.optimization=all,runtime.isa=avx2]"}));
}

TEST(Expand, NamesValuesOfEveryKind) {
  EXPECT_EQ(names_of(R"(, "matrix": {"quantizer.per_channel": true, "runtime.threads": 2,
                        "quantizer.op_types": ["Conv", "MatMul"], "quantizer.moving_average_constant": 0.25,
                        "quantizer.calibration": "moving_average"})"),
            Names{"c[quantizer.per_channel=true,runtime.threads=2,quantizer.op_types=[\"Conv\",\"MatMul\"],"
                  "quantizer.moving_average_constant=0.25,quantizer.calibration=moving_average]"});
}

TEST(Expand, LeavesOutAxesThatCannotMatter) {
  EXPECT_EQ(names_of(R"(, "matrix": {"quantizer.format": ["qdq", "none"], "quantizer.per_channel": [false, true],
                        "runtime.isa": ["scalar", "avx2"]})"),
            (Names{"c[quantizer.format=qdq,quantizer.per_channel=false,runtime.isa=scalar]",
                   "c[quantizer.format=qdq,quantizer.per_channel=false,runtime.isa=avx2]",
                   "c[quantizer.format=qdq,quantizer.per_channel=true,runtime.isa=scalar]",
                   "c[quantizer.format=qdq,quantizer.per_channel=true,runtime.isa=avx2]",
                   "c[quantizer.format=none,runtime.isa=scalar]", "c[quantizer.format=none,runtime.isa=avx2]"}));
  EXPECT_EQ(names_of(R"(, "matrix": {"quantizer.calibration": ["minmax", "percentile"],
                        "quantizer.percentile": [99, 99.9]})"),
            (Names{"c[quantizer.calibration=minmax]", "c[quantizer.calibration=percentile,quantizer.percentile=99]",
                   "c[quantizer.calibration=percentile,quantizer.percentile=99.9]"}));
}

TEST(Expand, AnAxisThatCannotMatterHasItsDefault) {
  const auto variants =
      expand(case_with(R"(, "matrix": {"quantizer.format": "none", "quantizer.per_channel": true})")).value();
  ASSERT_EQ(variants.size(), 1U);
  EXPECT_FALSE(variants[0].configuration.flag("quantizer.per_channel"));
}

TEST(Expand, RunsEqualVariantsOnce) {
  EXPECT_EQ(names_of(R"(, "matrix": {"runtime.threads": [1, 2, 1.0, 2]})"),
            (Names{"c[runtime.threads=1]", "c[runtime.threads=2]"}));
}

TEST(Expand, ExcludesWhatMatchesInEveryAxis) {
  const Names expected = {"c[runtime.optimization=none,runtime.isa=scalar]",
                          "c[runtime.optimization=none,runtime.isa=avx2]",
                          "c[runtime.optimization=all,runtime.isa=scalar]"};
  const std::string axes = R"("runtime.optimization": ["none", "all"], "runtime.isa": ["scalar", "avx2"])";
  const std::string exclude = R"("exclude": [{"runtime.optimization": "all", "runtime.isa": ["avx2", "avx512"]}])";
  EXPECT_EQ(names_of(", \"matrix\": {" + axes + ", " + exclude + "}"), expected);
  EXPECT_EQ(names_of(", \"matrix\": {" + axes + "}, " + exclude), expected);
}

TEST(Expand, ExcludeSeesDefaults) {
  EXPECT_EQ(names_of(R"(, "matrix": {"runtime.isa": ["scalar", "avx2"]},
                        "exclude": [{"runtime.isa": "avx2", "runtime.precision": "exact"}])")
                .size(),
            2U);
  EXPECT_EQ(names_of(R"(, "matrix": {"runtime.isa": ["scalar", "avx2"]},
                        "exclude": [{"runtime.isa": "avx2", "runtime.precision": "fast"}])"),
            Names{"c[runtime.isa=scalar]"});
}

TEST(Expand, IncludesCombinations) {
  const std::string matrix = R"(, "matrix": {"runtime.isa": ["scalar"], "runtime.optimization": ["none"])";
  const Names expected = {"c[runtime.isa=scalar,runtime.optimization=none]",
                          "c[runtime.isa=avx2,runtime.optimization=all,runtime.threads=1]",
                          "c[runtime.isa=avx2,runtime.optimization=all,runtime.threads=2]"};
  EXPECT_EQ(names_of(matrix + R"(, "include": [{"runtime.isa": "avx2", "runtime.threads": [1, 2]}]})"), expected);
  EXPECT_EQ(names_of(matrix + R"(}, "include": [{"runtime.isa": "avx2", "runtime.threads": [1, 2]}])"), expected);
  // What is there already is not added again; an include brings back what an exclude dropped.
  EXPECT_EQ(names_of(matrix + R"(}, "include": [{"runtime.isa": "scalar", "runtime.optimization": "none"}])").size(),
            1U);
  EXPECT_EQ(names_of(matrix + R"(}, "exclude": [{"runtime.isa": "scalar"}], "include": [{"runtime.isa": "scalar"}])"),
            Names{"c[runtime.isa=scalar,runtime.optimization=all]"});
}

TEST(Expand, SettingsActAsMatrixAxes) {
  const std::string matrix = R"(, "matrix": {"runtime.isa": ["scalar", "avx2"], "runtime.threads": [1, 2]})";
  EXPECT_EQ(names_of(matrix, {"runtime.isa=avx512"}),
            (Names{"c[runtime.isa=avx512,runtime.threads=1]", "c[runtime.isa=avx512,runtime.threads=2]"}));
  EXPECT_EQ(names_of("", {"runtime.isa=avx2,scalar"}), (Names{"c[runtime.isa=avx2]", "c[runtime.isa=scalar]"}));
}

TEST(Expand, TenThousandVariants) {
  std::string threads;
  for (int i = 1; i <= 250; ++i) {
    threads += (i == 1 ? "" : ",") + std::to_string(i);
  }
  const Case big = case_with(R"(, "matrix": {"runtime.isa": ["scalar", "avx2", "avx512", "avx_vnni", "avx512_vnni"],
      "quantizer.per_channel": [false, true], "quantizer.reduce_range": [false, true],
      "runtime.precision": ["fast", "exact"], "runtime.threads": [)" +
                             threads + "]}");
  const auto variants = expand(big).value();
  ASSERT_EQ(variants.size(), 10'000U);
  EXPECT_EQ(variants.back().name,
            "c[runtime.isa=avx512_vnni,quantizer.per_channel=true,quantizer.reduce_range=true,"
            "runtime.precision=exact,runtime.threads=250]");
}

TEST(Expand, RefusesMoreThanAMillion) {
  std::string numbers = "[2";
  for (int i = 3; i <= 102; ++i) {
    numbers += "," + std::to_string(i);
  }
  numbers += "]";
  const auto result = expand(case_with(", \"matrix\": {\"runtime.threads\": " + numbers +
                                       ", \"runtime.batch\": " + numbers + ", \"quantizer.bins\": " + numbers + "}"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "case 'c': the matrix has more than 1000000 combinations");
}

TEST(Expand, EffectiveValuesLeaveOutWhatCannotMatter) {
  Configuration configuration = float_reference();
  const auto values = effective_values(configuration);
  ASSERT_EQ(values.size(), 8U);  // quantizer.format and the seven of the runtime
  EXPECT_EQ(values[0].first, "quantizer.format");
  EXPECT_EQ(values[1].first, "runtime.name");
  EXPECT_EQ(values[2].second, "none");
}

TEST(Condition, ComparesEffectiveValues) {
  const Case test_case = case_with(
      R"(, "matrix": {"runtime.isa": ["scalar", "avx2", "avx512"]},
         "expect": [{"metric": "rmse", "at_most": 1, "when": {"runtime.isa": ["avx2", "avx512"], "runtime.precision": "fast"},
                     "unless": {"runtime.isa": "avx512"}},
                    {"metric": "rmse", "at_most": 1}])");
  std::string applying;
  const auto variants = expand(test_case).value();
  for (const Variant& variant : variants) {
    for (const Expectation& expectation : test_case.expectations) {
      applying += expectation.applies(variant.configuration) ? '1' : '0';
    }
  }
  EXPECT_EQ(applying, "011101");
}

}  // namespace
}  // namespace assay::spec
