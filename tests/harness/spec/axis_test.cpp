// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/axis.h"

#include <gtest/gtest.h>

#include "harness/spec/case.h"

namespace assay::spec {
namespace {

std::string check(const std::string& axis, const std::string& json) {
  const auto values = axis_values(*find_axis(axis), Json::parse(json));
  return values.ok() ? Json(values.value()).dump() : values.error().message;
}

std::string setting(const std::string& text) {
  const auto parsed = parse_setting(text);
  return parsed.ok() ? parsed.value().axis + " " + Json(parsed.value().values).dump() : parsed.error().message;
}

TEST(Axis, ScalarIsAListOfOne) {
  EXPECT_EQ(check("runtime.isa", R"("avx2")"), R"(["avx2"])");
  EXPECT_EQ(check("runtime.isa", R"(["avx2", "auto"])"), R"(["avx2","auto"])");
  EXPECT_EQ(check("runtime.batch", R"(["model", 4])"), R"(["model",4])");
  EXPECT_EQ(check("runtime.threads", "2.0"), "[2]");
  EXPECT_EQ(check("quantizer.percentile", "[99.9, 100]"), "[99.9,100]");
}

TEST(Axis, ListsOfTextsAreSingleValues) {
  EXPECT_EQ(check("quantizer.op_types", R"(["Conv", "MatMul"])"), R"([["Conv","MatMul"]])");
  EXPECT_EQ(check("quantizer.op_types", R"([["Conv"], []])"), R"([["Conv"],[]])");
  EXPECT_EQ(check("quantizer.op_types", R"("Conv")"), R"([["Conv"]])");
  EXPECT_EQ(check("quantizer.op_types", "[]"), "[[]]");
  EXPECT_EQ(check("quantizer.op_types", R"(["Conv", 1])"),
            R"(axis 'quantizer.op_types' must be a list of texts, found ["Conv",1])");
}

TEST(Axis, RefusesWhatItCannotMean) {
  EXPECT_EQ(check("runtime.precision", R"("fsat")"),
            "unknown value 'fsat' of axis 'runtime.precision'; nearest known value is 'fast' (one of fast, exact)");
  EXPECT_EQ(check("runtime.precision", "1"), "axis 'runtime.precision' must be one of fast, exact, found 1");
  EXPECT_EQ(check("runtime.precision", "[]"), "axis 'runtime.precision' has an empty list of values");
  EXPECT_EQ(check("quantizer.per_channel", R"("yes")"),
            R"(axis 'quantizer.per_channel' must be true or false, found "yes")");
  EXPECT_EQ(check("runtime.threads", "0"), "axis 'runtime.threads' must be a whole number from 1 to 256, found 0");
  EXPECT_EQ(check("runtime.threads", "1.5"), "axis 'runtime.threads' must be a whole number from 1 to 256, found 1.5");
  EXPECT_EQ(check("runtime.batch", R"("all")"),
            R"(axis 'runtime.batch' must be a whole number from 1 to 1048576 or 'model', found "all")");
  EXPECT_EQ(check("runtime.name", R"("")"), R"(axis 'runtime.name' must be a text, found "")");
}

TEST(Axis, ChecksRangesAndOverrides) {
  EXPECT_EQ(check("quantizer.ranges", R"("ranges.json")"), R"(["ranges.json"])");
  EXPECT_EQ(check("quantizer.ranges", R"({"x": [-1, 2]})"), R"([{"x":[-1,2]}])");
  EXPECT_EQ(check("quantizer.ranges", R"({"x": [3, 2]})"),
            "axis 'quantizer.ranges': the range of tensor 'x' must be [min, max], found [3,2]");
  EXPECT_EQ(check("quantizer.overrides", R"({"x": {"scale": 0.5, "x-note": 1}})"),
            R"([{"x":{"scale":0.5,"x-note":1}}])");
  EXPECT_EQ(check("quantizer.overrides", R"({"x": {"scael": 0.5}})"),
            "axis 'quantizer.overrides': the override of tensor 'x' has the unknown key 'scael'; nearest known key is "
            "'scale'");
  EXPECT_EQ(check("quantizer.overrides", R"({"x": {"scale": 0}})"),
            "axis 'quantizer.overrides': the override of tensor 'x': 'scale' must be a number above 0, found 0");
}

TEST(Axis, UnknownNameGetsTheNearest) {
  EXPECT_EQ(unknown_axis_message("runtime.iso"), "unknown axis 'runtime.iso'; nearest known axis is 'runtime.isa'");
}

TEST(Setting, ReadsJsonThenText) {
  EXPECT_EQ(setting("runtime.isa=avx2"), R"(runtime.isa ["avx2"])");
  EXPECT_EQ(setting("runtime.isa=avx2,scalar"), R"(runtime.isa ["avx2","scalar"])");
  EXPECT_EQ(setting(R"(runtime.isa=["avx2","scalar"])"), R"(runtime.isa ["avx2","scalar"])");
  EXPECT_EQ(setting("runtime.threads=4"), "runtime.threads [4]");
  EXPECT_EQ(setting("runtime.threads=1,2"), "runtime.threads [1,2]");
  EXPECT_EQ(setting("runtime.batch=model,8"), R"(runtime.batch ["model",8])");
  EXPECT_EQ(setting("quantizer.per_channel=true"), "quantizer.per_channel [true]");
  EXPECT_EQ(setting("quantizer.per_channel=true,false"), "quantizer.per_channel [true,false]");
  EXPECT_EQ(setting("quantizer.op_types=Conv,MatMul"), R"(quantizer.op_types [["Conv","MatMul"]])");
  EXPECT_EQ(setting("quantizer.nodes_to_exclude=1"), R"(quantizer.nodes_to_exclude [["1"]])");
  EXPECT_EQ(setting("quantizer.op_types="), "quantizer.op_types [[]]");
  EXPECT_EQ(setting("quantizer.ranges=a,b.json"), R"(quantizer.ranges ["a,b.json"])");
  EXPECT_EQ(setting(R"(quantizer.overrides={"x":{"scale":1}})"), R"(quantizer.overrides [{"x":{"scale":1}}])");
}

TEST(Setting, RefusesNonsense) {
  EXPECT_EQ(setting("runtime.isa"), "--set runtime.isa: expected axis=value, as runtime.isa=avx2");
  EXPECT_EQ(setting("isa=avx2"), "--set isa=avx2: unknown axis 'isa'; nearest known axis is 'runtime.isa'");
  EXPECT_EQ(setting("runtime.isa=avx3"),
            "--set runtime.isa=avx3: unknown value 'avx3' of axis 'runtime.isa'; nearest known value is 'avx2' (one of "
            "auto, scalar, "
            "sse41, avx2, avx512, avx_vnni, avx512_vnni, amx_int8, neon, neon_dot, neon_i8mm)");
  EXPECT_EQ(setting("runtime.isa=" + std::string(100'000, '[')).substr(0, 40),
            "--set runtime.isa=" + std::string(22, '['));
  EXPECT_EQ(setting("runtime.isa=a\xFF"), "--set: byte 0xFF at position 13 of 'runtime.isa=a\\xFF' is not UTF-8");
}

TEST(Configuration, GivesDefaultsForWhatIsNotSet) {
  Configuration configuration;
  EXPECT_EQ(configuration.text("quantizer.format"), "qdq");
  EXPECT_EQ(configuration.text("quantizer.weight_range"), "narrow");
  EXPECT_TRUE(configuration.flag("quantizer.weight_symmetric"));
  EXPECT_EQ(configuration.number("runtime.threads"), 1);
  EXPECT_EQ(configuration.text("runtime.batch"), "model");
  EXPECT_TRUE(configuration.strings("quantizer.op_types").empty());
  configuration.set("quantizer.op_types", Json::array({"Conv"}));
  EXPECT_EQ(configuration.strings("quantizer.op_types"), std::vector<std::string>{"Conv"});
}

// The schema, which editors complete from, and the table say the same.
TEST(Axis, SchemaKnowsTheSameAxesAndDefaults) {
  const Json schema = Json::parse(case_schema_text());
  const Json& stated = schema.at("definitions").at("axes").at("properties");
  ASSERT_EQ(stated.size(), axes().size() + 1);  // and "use", the sets of a matrix
  std::size_t position = 0;
  for (const auto& [name, entry] : stated.items()) {
    if (name == "use") {
      continue;
    }
    ASSERT_LT(position, axes().size()) << name;
    const Axis& axis = axes()[position++];
    EXPECT_EQ(name, axis.name);
    EXPECT_EQ(entry.at("default"), axis.fallback) << name;
    EXPECT_FALSE(entry.at("description").get<std::string>().empty()) << name;
    EXPECT_TRUE(schema.at("properties").at("matrix").at("properties").contains(name)) << name;
    EXPECT_TRUE(check_axis_value(axis, axis.fallback).ok()) << name;
    if (axis.kind == AxisKind::kName) {
      const Json& names = entry.at("anyOf").at(0).at("enum");
      EXPECT_EQ(names, Json(axis.names)) << name;
      EXPECT_EQ(names.front(), axis.fallback) << name;
    }
    if (axis.kind == AxisKind::kInteger && axis.names.empty()) {
      EXPECT_EQ(entry.at("anyOf").at(0).at("minimum"), axis.min) << name;
      EXPECT_EQ(entry.at("anyOf").at(0).at("maximum"), axis.max) << name;
    }
  }
}

}  // namespace
}  // namespace assay::spec
