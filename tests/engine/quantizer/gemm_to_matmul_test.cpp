// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/gemm_to_matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;

TEST(GemmToMatMul, TransposesAndScalesItsConstants) {
  Graph graph = GraphBuilder()
                    .input("x", {1, 3})
                    .constant("b", floats({2, 3}, {1, 2, 3, 4, 5, 6}))
                    .constant("c", floats({2}, {1, -1}))
                    .node("Gemm", "gemm", {"x", "b", "c"}, {{"transB", Index{1}}, {"alpha", 2.0F}, {"beta", 0.5F}})
                    .output("gemm", {1, 2})
                    .build();
  ASSERT_TRUE(gemm_to_matmul(graph).ok());
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].op_type, "MatMul");
  EXPECT_EQ(graph.nodes[0].name, "gemm");
  EXPECT_THAT(test::constant_values(graph, graph.nodes[0].inputs[1]), ElementsAre(2, 8, 4, 10, 6, 12));
  EXPECT_EQ(graph.nodes[1].op_type, "Add");
  EXPECT_EQ(graph.nodes[1].outputs[0], "gemm");
  EXPECT_THAT(test::constant_values(graph, graph.nodes[1].inputs[1]), ElementsAre(0.5, -0.5));
}

TEST(GemmToMatMul, LeavesATransposedInputAlone) {
  Graph graph = GraphBuilder()
                    .input("x", {3, 1})
                    .constant("b", floats({3, 2}, {1, 2, 3, 4, 5, 6}))
                    .node("Gemm", "gemm", {"x", "b"}, {{"transA", Index{1}}})
                    .output("gemm", {1, 2})
                    .build();
  ASSERT_TRUE(gemm_to_matmul(graph).ok());
  EXPECT_EQ(graph.nodes[0].op_type, "Gemm");
}

}  // namespace
}  // namespace assay::quantizer
