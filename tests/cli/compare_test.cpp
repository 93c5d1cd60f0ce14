// SPDX-License-Identifier: Apache-2.0
// `assay compare` as a gate.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/small_model.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Compare : public SmallModel {
 protected:
  void SetUp() override {
    SmallModel::SetUp();
    ASSERT_EQ(shell("assay quantize m.onnx -o a.onnx --calibration data --save-ranges a.json").code, 0);
    ASSERT_EQ(shell("assay quantize m.onnx -o b.onnx --calibration data --set "
                    "'quantizer.overrides={\"x\": {\"max\": 200, \"min\": -200}}'")
                  .code,
              0);
  }
};

TEST_F(Compare, EqualModelsPassTheGate) {
  const Ran ran = shell("assay compare a.onnx a.onnx");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("equal: "));
  EXPECT_EQ(ran.err, "");
}

TEST_F(Compare, DifferencesFailItUnlessTolerated) {
  const Ran ran = shell("assay compare a.onnx b.onnx --json c.json");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("different: "));
  EXPECT_THAT(ran.out, HasSubstr("scale"));
  const json comparison = json::parse(read("c.json"));
  EXPECT_EQ(comparison.at("schema_version"), 1);
  EXPECT_EQ(comparison.at("equal"), false);
  EXPECT_EQ(comparison.at("tensors")[0].at("tensor"), "x");
  EXPECT_NEAR(comparison.at("tensors")[0].at("largest_scale_change").get<double>(), 200.0 / 127 - 1, 1e-6);
  EXPECT_EQ(comparison.at("tensors")[0].at("b").at("ranges")[0].size(), 2U);
  EXPECT_EQ(shell("assay compare a.onnx b.onnx --scale-tolerance 0.6 --step-tolerance 255").code, 0);
}

TEST_F(Compare, JsonOnStdoutTakesThePlaceOfTheTables) {
  const Ran ran = shell("assay compare a.onnx b.onnx --json -");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(json::parse(ran.out).at("kind"), "models");
}

TEST_F(Compare, FloatAgainstQuantizedSaysWhatBecameOfEachNode) {
  const Ran ran = shell("assay compare m.onnx a.onnx");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("What became of the float model's nodes"));
  EXPECT_THAT(ran.out, HasSubstr("integers"));
  EXPECT_THAT(ran.out, HasSubstr("one of the models is float"));
}

TEST_F(Compare, RangeFilesOfAnyForm) {
  EXPECT_EQ(shell("assay compare a.json a.json").code, 0);
  write("b.csv", "name,min,max\nx,-127,127\nc,-16129,16129\ny/out:0,0,20000\n");
  const Ran ran = shell("assay compare a.json b.csv --json c.json");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("y/out:0"));
  const json comparison = json::parse(read("c.json"));
  EXPECT_EQ(comparison.at("kind"), "ranges");
  EXPECT_EQ(comparison.at("tensors").size(), 1U);
  EXPECT_EQ(shell("assay compare a.json b.csv --scale-tolerance 0.3").code, 0);
}

}  // namespace
}  // namespace assay::test
