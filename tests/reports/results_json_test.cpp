// SPDX-License-Identifier: Apache-2.0
#include "reports/results_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "reports/files.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

// The schema's complaints about a document; empty if it is valid.
std::string complaints(const std::string& text) {
  const nlohmann::json schema_json = nlohmann::json::parse(results_schema_text());
  const nlohmann::json document = nlohmann::json::parse(text);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::string all;
  if (!validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) {
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
      for (const std::string& part : error.context) {
        all += part;
      }
      all += ": " + error.description + "\n";
    }
  }
  return all;
}

TEST(ResultsJson, SatisfiesItsSchema) {
  EXPECT_EQ(complaints(report_text(start_results_json, test::every_outcome())), "");
  EXPECT_EQ(complaints(report_text(start_results_json, RunRecord{})), "");
}

TEST(ResultsJson, SchemaRejectsWhatIsWrong) {
  Json json = Json::parse(report_text(start_results_json, test::every_outcome()));
  json["results"][0]["outcome"] = "great";
  EXPECT_NE(complaints(json.dump(-1, ' ', false, Json::error_handler_t::replace)), "");
  json = Json::parse(report_text(start_results_json, test::every_outcome()));
  json["results"].back()["checks"][0]["value"] = "infinite";
  EXPECT_NE(complaints(json.dump(-1, ' ', false, Json::error_handler_t::replace)), "");
}

TEST(ResultsJson, ReadsBackWhatItWrote) {
  const RunRecord run = test::every_outcome();
  const std::string text = report_text(start_results_json, run);
  const ParsedRun parsed = parse_results_json(text);
  ASSERT_TRUE(parsed.run) << parsed.error;
  EXPECT_EQ(report_text(start_results_json, *parsed.run), text);
}

TEST(ResultsJson, NumbersThatJsonLacksAreStrings) {
  const Json result = result_to_json(test::every_outcome().results.back());
  EXPECT_EQ(result.at("checks")[0].at("value"), "inf");
  EXPECT_EQ(result.at("checks")[1].at("value"), "nan");
  EXPECT_EQ(result.at("measurements")[0].at("value"), "-inf");
  const ParsedResult parsed = parse_result(result);
  ASSERT_TRUE(parsed.result) << parsed.error;
  EXPECT_TRUE(std::isinf(parsed.result->checks[0].measured.value));
  EXPECT_TRUE(std::isnan(parsed.result->checks[1].measured.value));
}

TEST(ResultsJson, HasTheAgreedKeys) {
  const Json result = result_to_json(test::every_outcome().results.back());
  for (const char* key :
       {"case", "variant", "name", "outcome", "reason", "cause", "checks", "kernels", "timing", "rerun"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result.at("checks")[0].at("limit"), Json({{"at_most", 0.5}}));
  EXPECT_EQ(result.at("kernels")[0], Json({{"node", "conv|1"},
                                           {"op", "QLinearConv"},
                                           {"kernel", "gemm_u8s8"},
                                           {"isa", "avx2"},
                                           {"arithmetic", "sat16-pairs"},
                                           {"native", false}}));
  EXPECT_EQ(result.at("seeds").at("x"), 18446744073709551615ULL);
}

TEST(ResultsJson, BadTextIsAnErrorNotACrash) {
  for (const char* text :
       {"", "[]", "{", "null", R"({"schema_version": 1})", R"({"schema_version": 99, "host": {}, "results": []})",
        R"({"schema_version": 1, "host": {}, "results": [{"case": 3}]})"}) {
    const ParsedRun parsed = parse_results_json(text);
    EXPECT_FALSE(parsed.run) << text;
    EXPECT_NE(parsed.error, "") << text;
  }
}

// The JSON pointer of what is at fault, for every value of a record made a wrong one in turn.
TEST(ResultsJson, ErrorsNameTheKey) {
  const auto error_with = [](const char* pointer, const Json& value) {
    Json json = Json::parse(report_text(start_results_json, test::every_outcome()));
    for (const Json& result : json["results"]) {
      if (!result["checks"].empty()) {
        json["results"][0]["checks"] = Json(result["checks"]);
      }
    }
    json[Json::json_pointer(pointer)] = value;
    const ParsedRun parsed = parse_results_json(json.dump());
    return parsed.run ? "read" : parsed.error;
  };
  EXPECT_EQ(error_with("/host", 5), "read");  // any JSON
  EXPECT_EQ(error_with("/schema_version", "a"), "/schema_version: type must be number, but is string");
  EXPECT_EQ(error_with("/schema_version", 99), "/schema_version: is 99, this build reads 1");
  EXPECT_EQ(error_with("/duration_s", "x"), "/duration_s: type must be number, but is string");
  EXPECT_EQ(error_with("/results", Json::object()), "/results: type must be array, but is object");
  EXPECT_EQ(error_with("/results/1", 3), "/results/1: type must be object, but is number");
  EXPECT_EQ(error_with("/results/1/name", 7), "/results/1/name: type must be string, but is number");
  EXPECT_EQ(error_with("/results/0/outcome", "good"), "/results/0/outcome: unknown outcome 'good'");
  EXPECT_EQ(error_with("/results/0/variant", 1), "/results/0/variant: type must be object, but is number");
  EXPECT_EQ(error_with("/results/0/checks", 1), "/results/0/checks: type must be array, but is number");
  EXPECT_EQ(error_with("/results/0/checks/0", 5), "/results/0/checks/0: type must be object, but is number");
  EXPECT_EQ(error_with("/results/0/checks/0/value", "x"), "/results/0/checks/0/value: must be a number, but is string");
  EXPECT_EQ(error_with("/results/0/checks/0/would_pass", {{"a/b", "x"}}),
            "/results/0/checks/0/would_pass/a~1b: must be a number, but is string");
  EXPECT_EQ(error_with("/results/0/kernels", Json::array({Json::object()})),
            "/results/0/kernels/0: key 'node' not found");
}

}  // namespace
}  // namespace assay::reports
