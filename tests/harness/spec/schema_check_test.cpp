// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/schema_check.h"

#include <gtest/gtest.h>

#include "harness/spec/case.h"
#include "tests/support/random.h"

namespace assay::spec {
namespace {

using Messages = std::vector<std::string>;

Messages errors_of(const std::string& text) { return parse_case("f.json", text).errors; }

// A case of one line with more members behind "name" and "model", which end at column 40.
Messages with(const std::string& members) {
  return errors_of(R"({"name": "c", "model": {"path": "m.x"},)" + std::string("\n") + members + "}");
}

TEST(SchemaCheck, MinimalCaseIsValid) {
  EXPECT_EQ(errors_of(R"({"name": "c", "model": {"path": "m.x"}})"), Messages{});
}

TEST(SchemaCheck, UnknownKeysGetTheNearestKnownOne) {
  EXPECT_EQ(with(R"("matrx": {})"), Messages{"f.json:2:1: unknown key 'matrx'; nearest known key is 'matrix'"});
  EXPECT_EQ(with(R"("matrix": {"runtime.iso": "avx2"})"),
            Messages{"f.json:2:12: unknown axis 'runtime.iso'; nearest known axis is 'runtime.isa'"});
  EXPECT_EQ(with(R"("expect": [{"metric": "rmse", "at_mots": 1}])")[0],
            "f.json:2:31: unknown key 'at_mots'; nearest known key is 'at_most'");
  EXPECT_EQ(with(R"("inputs": {"x": {"random": {"seeed": 1}}})"),
            Messages{"f.json:2:29: unknown key 'seeed'; nearest known key is 'seed'"});
  EXPECT_EQ(with(R"("calibration": {"x": [{"constant": 1, "shpae": [1]}]})"),
            Messages{"f.json:2:39: unknown key 'shpae'; nearest known key is 'shape'"});
  EXPECT_EQ(with(R"("expect": [{"metric": "rmse", "at_most": 1, "when": {"runtime.isaa": "avx2"}}])"),
            Messages{"f.json:2:54: unknown axis 'runtime.isaa'; nearest known axis is 'runtime.isa'"});
  EXPECT_EQ(with(R"("a/~b'c": 1)"), Messages{"f.json:2:1: unknown key 'a/~b'c'; nearest known key is 'name'"});
}

TEST(SchemaCheck, FreeKeysAreFreeEverywhere) {
  EXPECT_EQ(
      with(R"("x-note": {"any": [1]}, "matrix": {"x-a": 1}, "timing": {"compare": "runtime.isa", "baseline": "auto",
       "x-b": 1}, "inputs": {"x": {"constant": 1, "x-c": 2}, "y": {"random": {"x-d": 1}}},
       "expect": [{"metric": "exact", "x-e": 1, "when": {"x-f": 1}}])"),
      Messages{});
}

TEST(SchemaCheck, NamesMissingKeys) {
  EXPECT_EQ(errors_of(R"({"name": "c"})"), Messages{"f.json:1:1: the case has no 'model'"});
  EXPECT_EQ(with(R"("timing": {"compare": "runtime.isa"})"), Messages{"f.json:2:11: 'timing' has no 'baseline'"});
}

TEST(SchemaCheck, NamesWrongTypes) {
  EXPECT_EQ(with(R"("tags": "a")"), Messages{"f.json:2:9: 'tags' must be a list, found \"a\""});
  EXPECT_EQ(with(R"("tags": ["a", 1])"), Messages{"f.json:2:15: item 1 of 'tags' must be a text, found 1"});
  EXPECT_EQ(with(R"("inputs": [])"),
            Messages{"f.json:2:11: 'inputs' must be an object or a text, found an empty list"});
  EXPECT_EQ(with(R"("inputs": {"x": {"constant": "a"}})"),
            Messages{"f.json:2:30: 'constant' must be a number or true or false, found \"a\""});
  EXPECT_EQ(errors_of("[1]"), Messages{"f.json:1:1: the case must be an object, found a list"});
  EXPECT_EQ(errors_of("7"), Messages{"f.json:1:1: the case must be an object, found 7"});
}

TEST(SchemaCheck, NamesWrongValues) {
  EXPECT_EQ(with(R"("expect": [{"metric": "rms", "at_most": 1}])"),
            Messages{"f.json:2:23: unknown value 'rms' of 'metric'; nearest known value is 'rmse'"});
  EXPECT_EQ(with(R"("expect": [{"metric": "topk_agreement", "at_least": 1, "k": 0}])"),
            Messages{"f.json:2:61: 'k' must be at least 1, found 0"});
  EXPECT_EQ(with(R"("inputs": {"x": {"fill": "one-hot"}})"),
            Messages{"f.json:2:26: unknown value 'one-hot' of 'fill'; nearest known value is 'one_hot'"});
  EXPECT_EQ(with(R"("matrix": {"runtime.isa": ["avx2", "avx3"]})"),
            Messages{"f.json:2:27: unknown value 'avx3' of axis 'runtime.isa'; nearest known value is 'avx2' (one of "
                     "auto, scalar, sse41, avx2, avx512, avx_vnni, avx512_vnni, amx_int8, neon, neon_dot, neon_i8mm)"});
}

// Sizes are told with the limit and what was found, and numbers that no integer holds as they are written.
TEST(SchemaCheck, NamesLimits) {
  EXPECT_EQ(errors_of(R"({"name": ")" + std::string(201, 'n') + R"(", "model": {"path": "m"}})"),
            Messages{"f.json:1:10: 'name' must have at most 200 characters, found 201"});
  EXPECT_EQ(errors_of(R"({"name": "", "model": {"path": "m"}})"), Messages{"f.json:1:10: 'name' must not be empty"});
  EXPECT_EQ(with(R"("inputs": {"x": {"random": {"seed": 18446744073709551616}}})"),
            Messages{"f.json:2:37: 'seed' must be a whole number from 0 to 18446744073709551615, found "
                     "18446744073709551616"});
  EXPECT_EQ(with(R"("inputs": {"x": {"random": {"seed": 18446744073709551615}}})"), Messages{});
  EXPECT_EQ(with(R"("inputs": {"x": {"random": {"seed": -1}}})"),
            Messages{"f.json:2:37: 'seed' must be at least 0, found -1"});
  EXPECT_EQ(with(R"("inputs": {"x": {"random": {"seed": 1.5}}})"),
            Messages{"f.json:2:37: 'seed' must be a whole number, found 1.5"});
}

// A value that fits one alternative by its type is judged by that one alone.
TEST(SchemaCheck, EmptyAlternativesAreOneError) {
  EXPECT_EQ(with(R"("reference": {})"),
            Messages{"f.json:2:14: 'reference' needs one of 'configuration', 'runtime', 'golden', 'values', 'use'"});
  EXPECT_EQ(with(R"("reference": [])"), Messages{"f.json:2:14: 'reference' must not be empty"});
  EXPECT_EQ(with(R"("calibration": {"x": []})"), Messages{"f.json:2:22: 'x' must not be empty"});
  EXPECT_EQ(with(R"("calibration": {"x": {}})").size(), 1U);
  EXPECT_EQ(with(R"("reference": 1)"), Messages{"f.json:2:14: 'reference' must be an object or a list, found 1"});
}

TEST(SchemaCheck, NamesChoices) {
  EXPECT_EQ(errors_of(R"({"name": "c", "model": {}})"),
            Messages{"f.json:1:24: 'model' needs one of 'path', 'graph', 'recipe'"});
  EXPECT_EQ(
      errors_of(R"({"name": "c", "model": {"path": "m", "recipe": "mlp"}})"),
      Messages{"f.json:1:24: 'model' has 'path' and 'recipe'; exactly one of 'path', 'graph', 'recipe' is allowed"});
  EXPECT_EQ(
      with(R"("inputs": {"x": {"shape": [1]}})"),
      Messages{
          "f.json:2:17: 'x' needs one of 'constant', 'values', 'random', 'ramp', 'fill', 'npy', 'npz', 'pb', 'use'"});
  EXPECT_EQ(with(R"("inputs": {"x": {"npy": "f", "key": "k"}})"),
            Messages{"f.json:2:30: 'key' has a meaning only with 'npz'"});
  EXPECT_EQ(with(R"("expect": [{"at_most": 1}])"),
            (Messages{"f.json:2:12: item 0 of 'expect' needs one of 'metric', 'outcome', 'use'",
                      "f.json:2:13: 'at_most' has a meaning only with 'metric'"}));
}

TEST(SchemaCheck, FindsEveryErrorInTheOrderOfTheFile) {
  EXPECT_EQ(
      errors_of(
          "{\"name\": \"c\",\n\"tags\": 1,\n\"model\": {\"pth\": \"m\", \"path\": \"m\"},\n\"descripton\": \"\"}"),
      (Messages{"f.json:2:9: 'tags' must be a list, found 1",
                "f.json:3:11: unknown key 'pth'; nearest known key is 'path'",
                "f.json:4:1: unknown key 'descripton'; nearest known key is 'description'"}));
}

TEST(SchemaCheck, LimitsItsMessages) {
  std::string tags = "\"tags\": [1";
  for (int i = 0; i < 200; ++i) {
    tags += ",1";
  }
  const Messages messages = with(tags + "]");
  EXPECT_EQ(messages.size(), kMaxErrorsPerFile + 1);
  EXPECT_EQ(messages.back(), "f.json: and 151 more errors");
}

TEST(SchemaCheck, LongTextsAreHarmless) {
  const std::string longest(1'000'000, 'a');
  EXPECT_EQ(with("\"x-" + longest + "\": \"" + longest + "\""), Messages{});
  EXPECT_EQ(with("\"" + longest + "\": 1").size(), 1U);
  EXPECT_EQ(errors_of("{\"model\": {\"path\": \"m\"}, \"name\": \"" + longest + "\"}").size(), 1U);
}

// Whatever stands at a key, the answer is a message or a case, never a crash; and what passes the schema can be parsed.
TEST(SchemaCheck, SurvivesValuesOfEveryTypeEverywhere) {
  const Json whole = Json::parse(R"({"name": "c", "description": "d", "tags": ["t"], "model": {"graph": {"opset": 13,
    "opsets": {"com.microsoft": 1}, "inputs": {"x": {"type": "float32", "shape": [1, "N", null]}},
    "initializers": {"w": {"type": "float32", "shape": [1], "data": [1]}},
    "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["y"], "attributes": {"a": 1}}],
    "outputs": {"y": {"type": "float32", "shape": []}}}},
    "inputs": {"x": {"random": {"distribution": "normal", "seed": 1}, "shape": [1, 2]}},
    "calibration": {"x": [{"ramp": {"start": 0, "step": 1}}], "y": {"npz": "f", "key": "k", "samples": 3}},
    "matrix": {"runtime.isa": ["avx2"], "quantizer.overrides": {"x": {"scale": 1}}, "include": [{"runtime.threads": 2}]},
    "exclude": [{"runtime.threads": [1, 2]}],
    "reference": [{"configuration": {"runtime.isa": "avx2"}, "when": {"runtime.threads": 1}}, {"golden": "g"}],
    "expect": [{"metric": "rmse", "at_most": 1, "unless": {"runtime.isa": "avx2"}}, {"outcome": "xfail", "reason": "r",
    "cause": "other"}], "weak_ok": "w", "timing": {"compare": "runtime.isa", "baseline": "avx2", "at_least_speedup": 2}})");
  ASSERT_EQ(errors_of(whole.dump()), Messages{});
  const std::vector<Json> strangers = {nullptr,
                                       true,
                                       -1,
                                       1.5,
                                       1e300,
                                       18446744073709551615U,
                                       "",
                                       "text",
                                       Json::array(),
                                       Json::object(),
                                       Json::parse("[[1]]"),
                                       Json::parse(R"({"a": {}})")};
  const Json flat = whole.flatten();
  std::size_t refused = 0;
  for (const auto& [pointer, value] : flat.items()) {
    for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      for (const Json& stranger : strangers) {
        Json changed = whole;
        changed[at] = stranger;
        refused += errors_of(changed.dump()).empty() ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(refused, 500U);
}

}  // namespace
}  // namespace assay::spec
