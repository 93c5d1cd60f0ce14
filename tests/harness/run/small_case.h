// SPDX-License-Identifier: Apache-2.0
// Case files as text, for tests of the harness.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "harness/run/selection.h"

namespace assay::run::test {

// A Conv 1x1 (weight 127) and a Relu on x[1,1,2,2], calibrated on -127 and 127; `rest` is what follows in the object.
inline std::string conv_relu_case(const std::string& rest) {
  return R"({"name": "c", "model": {"graph": {"opset": 13,
    "inputs": {"x": {"type": "float32", "shape": [1, 1, 2, 2]}},
    "initializers": {"w": {"type": "float32", "shape": [1, 1, 1, 1], "data": [127]}},
    "nodes": [{"op": "Conv", "name": "conv", "inputs": ["x", "w"], "outputs": ["c"]},
              {"op": "Relu", "name": "relu", "inputs": ["c"], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [1, 1, 2, 2]}}}},
    "inputs": {"x": {"values": [-127, 127, 64, -3]}}, "calibration": {"x": [{"constant": -127}, {"constant": 127}]}, )" +
         rest + "}";
}

inline spec::Case parse(const std::string& text) {
  spec::CaseOrErrors parsed = spec::parse_case("c.json", text);
  for (const std::string& error : parsed.errors) {
    ADD_FAILURE() << error;
  }
  return std::move(parsed.value).value();
}

// Every variant of one case, selected.
inline Selection select_all(const std::string& text) {
  Selection selection;
  selection.cases.push_back(parse(text));
  const Result<std::vector<spec::Variant>> variants = spec::expand(selection.cases[0]);
  EXPECT_TRUE(variants.ok());
  for (std::uint32_t i = 0; i < variants.value().size(); ++i) {
    selection.variants.push_back({0, i, true});
  }
  return selection;
}

}  // namespace assay::run::test
