// SPDX-License-Identifier: Apache-2.0
// The published schema with its conditional rules, as an editor applies it, against the parser: both refuse.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "harness/spec/case.h"

namespace assay::spec {
namespace {

bool fits_schema(const std::string& text) {
  const nlohmann::json schema_json = nlohmann::json::parse(case_schema_text());
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  const nlohmann::json document = nlohmann::json::parse(text);
  valijson::Validator validator;
  return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

bool parses(const std::string& text) { return parse_case("f.json", text).errors.empty(); }

std::string with(const std::string& members) {
  return R"({"name": "c", "model": {"path": "m.onnx"}, )" + members + "}";
}

TEST(SchemaRules, GoodCasesFitBoth) {
  for (const char* members : {
           R"("expect": [{"metric": "exact"}, {"metric": "rmse", "at_most": 1}])",
           R"("expect": [{"metric": "topk_agreement", "k": 2, "at_least": 1}])",
           R"("expect": [{"outcome": "xfail", "reason": "r"}, {"outcome": "warned", "message": "m"}])",
           R"("expect": [{"metric": "node_count", "op": "Relu", "graph": "quantized", "at_most": 0}])",
           R"("calibration": {"x": {"random": {}, "samples": 3}})",
           R"("calibration": {"x": {"npy": "x.npy"}})",
           R"("inputs": {"x": {"constant": 1}})",
       }) {
    EXPECT_TRUE(fits_schema(with(members))) << members;
    EXPECT_TRUE(parses(with(members))) << members << parse_case("f.json", with(members)).errors.front();
  }
}

TEST(SchemaRules, BadCasesFitNeither) {
  for (
      const char* members : {
          R"("expect": [{"metric": "rmse"}])",
          R"("expect": [{"metric": "rmse", "k": 2, "at_most": 1}])",
          R"("expect": [{"metric": "rmse", "quantile": 0.5, "at_most": 1}])",
          R"("expect": [{"metric": "rmse", "beyond_steps": 1, "at_most": 1}])",
          R"("expect": [{"metric": "rmse", "op": "Relu", "at_most": 1}])",
          R"("expect": [{"outcome": "xfail"}])",
          R"("expect": [{"outcome": "refused"}])",
          R"("expect": [{"outcome": "warned"}])",
          R"("calibration": {"x": {"random": {}}})",
          R"("inputs": {"x": {"constant": 1}}, "dataset": {"inputs": {"x": {"npy": "x.npy"}}, "labels": {"npy": "y.npy"}})",
      }) {
    EXPECT_FALSE(fits_schema(with(members))) << members;
    EXPECT_FALSE(parses(with(members))) << members;
  }
  for (const char* name : {"a b", "a,b", "a=b", "a[b", "a]b"}) {
    const std::string text = R"({"name": ")" + std::string(name) + R"(", "model": {"path": "m.onnx"}})";
    EXPECT_FALSE(fits_schema(text)) << name;
    EXPECT_FALSE(parses(text)) << name;
  }
}

}  // namespace
}  // namespace assay::spec
