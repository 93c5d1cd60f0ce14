// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/smooth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::constant_values;
using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;
using testing::Pair;

GraphBuilder normalized() {
  GraphBuilder builder(17);
  builder.input("x", {1, 3, 2})
      .constant("s", floats({2}, {1, 1}))
      .constant("b", floats({2}, {8, 2}))
      .node("LayerNormalization", "n", {"x", "s", "b"})
      .constant("q", floats({2, 1}, {0.25F, -1}))
      .node("MatMul", "query", {"n", "q"});
  return builder;
}

TEST(Smooth, MovesTheMaximaOfALayerNormalizationIntoItsReaders) {
  Graph graph = normalized()
                    .constant("k", floats({2, 1}, {1, 0.5F}))
                    .node("MatMul", "key", {"n", "k"})
                    .output("query", {1, 3, 1})
                    .output("key", {1, 3, 1})
                    .build();
  EXPECT_THAT(smoothed_values(graph, {}), ElementsAre(Pair("n", 2)));
  const auto done = smooth(graph, {{"n", {16, 1}}}, {});
  ASSERT_TRUE(done.ok());
  EXPECT_THAT(done.value().float_nodes, ElementsAre());
  EXPECT_THAT(done.value().lines, ElementsAre("smoothed 'n' through LayerNormalization 'n'"));
  // s = sqrt(16 / max(0.25, 1)) = 4 and sqrt(1 / max(1, 0.5)) = 1.
  EXPECT_THAT(constant_values(graph, "s"), ElementsAre(0.25, 1));
  EXPECT_THAT(constant_values(graph, "b"), ElementsAre(2, 2));
  EXPECT_THAT(constant_values(graph, "q"), ElementsAre(1, -1));
  EXPECT_THAT(constant_values(graph, "k"), ElementsAre(4, 0.5));
}

TEST(Smooth, AlphaOneEvensTheActivationsOut) {
  Graph graph = normalized().output("query", {1, 3, 1}).build();
  Options options;
  options.smooth_quant_alpha = 1;
  ASSERT_TRUE(smooth(graph, {{"n", {16, 2}}}, options).ok());
  EXPECT_THAT(constant_values(graph, "s"), ElementsAre(0.0625, 0.5));
  EXPECT_THAT(constant_values(graph, "q"), ElementsAre(4, -2));
}

TEST(Smooth, LeavesAValueThatOthersReadToo) {
  const Graph graph =
      normalized().node("Relu", "other", {"n"}).output("query", {1, 3, 1}).output("other", {1, 3, 2}).build();
  EXPECT_TRUE(smoothed_values(graph, {}).empty());
  Options excluded;
  excluded.nodes_to_exclude = {"query"};
  EXPECT_TRUE(smoothed_values(normalized().output("query", {1, 3, 1}).build(), excluded).empty());
}

TEST(Smooth, DividesAGraphInputInFloat) {
  Graph graph = GraphBuilder()
                    .input("x", {1, 2})
                    .constant("w", floats({1, 2}, {1, 1}))
                    .node("Gemm", "y", {"x", "w"}, {{"transB", Index{1}}})
                    .output("y", {1, 1})
                    .build();
  const auto done = smooth(graph, {{"x", {4, 0}}}, {});
  ASSERT_TRUE(done.ok());
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].op_type, "Mul");
  EXPECT_THAT(done.value().float_nodes, ElementsAre(graph.nodes[0].name));
  EXPECT_THAT(constant_values(graph, graph.nodes[0].inputs[1]), ElementsAre(0.5, 1));
  EXPECT_EQ(graph.nodes[1].inputs[0], graph.nodes[0].outputs[0]);
  EXPECT_THAT(constant_values(graph, "w"), ElementsAre(2, 1));
}

}  // namespace
}  // namespace assay::quantizer
