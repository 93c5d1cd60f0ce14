// SPDX-License-Identifier: Apache-2.0
// The quick acceptor against the library: they must agree on every document.
#include "harness/spec/schema_accept.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/spec/case.h"
#include "harness/spec/schema_check.h"
#include "tests/support/folders.h"
#include "tests/support/random.h"

namespace assay::spec {
namespace {

const Json& schema() {
  static const Json kSchema = Json::parse(case_schema_text());
  return kSchema;
}

TEST(SchemaAcceptor, KnowsTheSchemaOfCases) { EXPECT_TRUE(SchemaAcceptor(schema()).known()); }

TEST(SchemaAcceptor, AcceptsNothingOfASchemaItDoesNotKnow) {
  const Json unknown = Json::parse(R"({"type": "object", "contains": {"type": "string"}})");
  const SchemaAcceptor acceptor(unknown);
  EXPECT_FALSE(acceptor.known());
  EXPECT_FALSE(acceptor.accepts(Json::object()));
}

TEST(SchemaAcceptor, EveryKeywordDecides) {
  struct Row {
    const char* schema;
    const char* good;
    const char* bad;
  };
  for (const Row& row : {
           Row{R"({"type": "string"})", R"("a")", "1"},
           Row{R"({"type": ["integer", "null"]})", "2.0", "2.5"},
           Row{R"({"type": "number"})", "2.5", "true"},
           Row{R"({"enum": ["a", 1]})", "1", R"("b")"},
           Row{R"({"minimum": 2})", "2", "1"},
           Row{R"({"maximum": 2})", "2", "3"},
           Row{R"({"minLength": 2})", R"("é!")", R"("é")"},
           Row{R"({"maxItems": 1})", "[1]", "[1, 2]"},
           Row{R"({"minLength": 2})", R"(["a"])", R"("a")"},
           Row{R"({"items": {"type": "string"}})", R"(["a"])", "[1]"},
           Row{R"({"properties": {"a": {"type": "string"}}})", R"({"a": "b", "c": 1})", R"({"a": 1})"},
           Row{R"({"properties": {"a": {}}, "additionalProperties": false})", R"({"a": 1})", R"({"b": 1})"},
           Row{R"({"additionalProperties": {"type": "string"}})", R"({"a": "b"})", R"({"a": 1})"},
           Row{R"({"patternProperties": {"^x-": {}}, "additionalProperties": false})", R"({"x-a": 1})", R"({"a": 1})"},
           Row{R"({"required": ["a"]})", R"({"a": 1})", "{}"},
           Row{R"({"dependencies": {"a": ["b"]}})", R"({"a": 1, "b": 2})", R"({"a": 1})"},
           Row{R"({"allOf": [{"type": "number"}, {"minimum": 1}]})", "1", "0"},
           Row{R"({"anyOf": [{"type": "string"}, {"minimum": 1}]})", "1", "0"},
           Row{R"({"oneOf": [{"type": "number"}, {"minimum": 1}]})", "0", "1"},
           Row{R"({"$ref": "#/definitions/a", "definitions": {"a": {"type": "string"}}})", R"("a")", "1"},
       }) {
    const Json json = Json::parse(row.schema);
    const SchemaAcceptor acceptor(json);
    EXPECT_TRUE(acceptor.known()) << row.schema;
    EXPECT_TRUE(acceptor.accepts(Json::parse(row.good))) << row.schema << " " << row.good;
    EXPECT_FALSE(acceptor.accepts(Json::parse(row.bad))) << row.schema << " " << row.bad;
  }
}

void collect(Json& json, std::vector<Json*>& places) {
  places.push_back(&json);
  if (json.is_structured()) {
    for (Json& item : json) {
      collect(item, places);
    }
  }
}

// One random change: a value of another kind, a key lost or misspelt, an item lost or doubled.
void mutate(Json& json, test::Random& random) {
  std::vector<Json*> places;
  collect(json, places);
  Json& place = *places[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(places.size()) - 1))];
  if (place.is_object() && !place.empty() && random.chance(0.6)) {
    auto entry = place.begin();
    std::advance(entry, random.integer(0, static_cast<std::int64_t>(place.size()) - 1));
    const std::string key = entry.key();
    const Json value = entry.value();
    if (random.chance(0.5)) {
      place.erase(key);
    } else {
      place[random.chance(0.5) ? key + "s" : "x-" + key] = value;
    }
    return;
  }
  if (place.is_array() && !place.empty() && random.chance(0.6)) {
    if (random.chance(0.5)) {
      place.erase(0);
    } else {
      place.push_back(Json(place.front()));
    }
    return;
  }
  static const std::vector<Json> kValues = {nullptr,
                                            true,
                                            -1,
                                            0,
                                            2.0,
                                            0.5,
                                            1e300,
                                            "",
                                            "qdq",
                                            "exact",
                                            Json::array(),
                                            Json::object(),
                                            Json::parse(R"({"constant": 1})"),
                                            Json::parse("[1, 2]"),
                                            18446744073709551615ULL};
  place = kValues[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(kValues.size()) - 1))];
}

TEST(SchemaAcceptor, AgreesWithTheLibraryOnChangedCases) {
  std::vector<Json> cases;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / "cases")) {
    if (entry.path().extension() == ".json") {
      cases.push_back(Document::read(entry.path().string()).value()->root());
    }
  }
  ASSERT_GT(cases.size(), 10U);
  const SchemaAcceptor acceptor(schema());
  test::Random random(31);
  int accepted = 0;
  const std::int64_t trials = test::case_count(500);
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    Json json = cases[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(cases.size()) - 1))];
    for (std::int64_t changes = random.integer(0, 2); changes > 0; --changes) {
      mutate(json, random);
    }
    const bool whole = !json.is_object() || (json.contains("name") && json.contains("model"));
    const bool quick = whole && acceptor.accepts(json);
    accepted += quick ? 1 : 0;
    EXPECT_EQ(quick, library_violations(Document::parse("f.json", json.dump()).value()).empty())
        << "seed " << test::test_seed() << " trial " << trial << "\n"
        << json.dump();
  }
  EXPECT_GT(accepted, trials / 10);
  EXPECT_LT(accepted, trials * 9 / 10);
}

}  // namespace
}  // namespace assay::spec
