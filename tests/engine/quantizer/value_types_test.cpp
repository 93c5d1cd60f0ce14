// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/value_types.h"

#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

TEST(ValueTypes, FollowTheOperator) {
  Graph graph = test::GraphBuilder()
                    .input("x", {2, 4})
                    .input("flag", {2, 4}, DType::kBool)
                    .node("ArgMax", "index", {"x"})
                    .node("Where", "choice", {"flag", "x", "x"})
                    .node("Cast", "half", {"x"}, {{"to", Index{10}}})
                    .node("Cast", "whole", {"x"}, {{"to", Index{7}}})
                    .node("Relu", "relu", {"half"})
                    .output("relu", {2, 4})
                    .build();
  const ValueTypes types = value_types(graph);
  EXPECT_EQ(types.at("index"), DType::kInt64);
  EXPECT_EQ(types.at("choice"), DType::kFloat32);
  EXPECT_EQ(types.at("relu"), DType::kFloat16);
  EXPECT_FALSE(is_real(types.at("whole")));
}

}  // namespace
}  // namespace assay::quantizer
