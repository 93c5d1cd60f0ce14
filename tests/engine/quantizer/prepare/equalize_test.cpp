// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/equalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::constant_values;
using test::floats;
using test::GraphBuilder;
using testing::DoubleNear;
using testing::ElementsAre;

Graph two_layers(const std::string& between = "Relu") {
  return GraphBuilder()
      .input("x", {1, 1, 2, 2})
      .constant("w1", floats({2, 1, 1, 1}, {16, 1}))
      .constant("b1", floats({2}, {4, 1}))
      .node("Conv", "first", {"x", "w1", "b1"})
      .node(between, "act", {"first"})
      .constant("w2", floats({1, 2, 1, 1}, {1, 4}))
      .node("Conv", "second", {"act", "w2"})
      .output("second", {1, 1, 2, 2})
      .build();
}

TEST(Equalize, MovesTheGeometricMeanIntoTheNextLayer) {
  Graph graph = two_layers();
  const auto lines = equalize(graph, {});
  ASSERT_TRUE(lines.ok());
  EXPECT_THAT(lines.value(), ElementsAre("equalized Conv 'first' and Conv 'second'"));
  // s = sqrt(16 / 1) = 4 and sqrt(1 / 4) = 0.5; the second bias, 1 of at most 4, allows 0.25 and more.
  EXPECT_THAT(constant_values(graph, "w1"), ElementsAre(4, 2));
  EXPECT_THAT(constant_values(graph, "b1"), ElementsAre(1, 2));
  EXPECT_THAT(constant_values(graph, "w2"), ElementsAre(4, 2));
}

TEST(Equalize, RaisesNoBiasAboveTheLargest) {
  Graph graph = two_layers();
  graph.initializers["b1"] = floats({2}, {1, 0.8F});
  graph.initializers["w1"] = floats({2, 1, 1, 1}, {1, 1});
  graph.initializers["w2"] = floats({1, 2, 1, 1}, {1, 16});
  ASSERT_TRUE(equalize(graph, {}).ok());
  // sqrt(1 / 16) = 0.25 would make 3.2 of the bias; it becomes 1.
  EXPECT_THAT(constant_values(graph, "b1"), ElementsAre(1, DoubleNear(1, 1e-6)));
  EXPECT_THAT(constant_values(graph, "w1"), ElementsAre(1, DoubleNear(1.25, 1e-6)));
}

TEST(Equalize, LeavesChannelsWithoutWeights) {
  Graph graph = two_layers();
  graph.initializers["w2"] = floats({1, 2, 1, 1}, {1, 0});
  ASSERT_TRUE(equalize(graph, {}).ok());
  EXPECT_THAT(constant_values(graph, "w1"), ElementsAre(4, 1));
  EXPECT_THAT(constant_values(graph, "w2"), ElementsAre(4, 0));
}

TEST(Equalize, SettlesOverThreeLayers) {
  Graph graph = GraphBuilder()
                    .input("x", {1, 1})
                    .constant("w1", floats({1, 1}, {64}))
                    .constant("w2", floats({1, 1}, {8}))
                    .constant("w3", floats({1, 1}, {1}))
                    .node("Gemm", "a", {"x", "w1"})
                    .node("Relu", "ra", {"a"})
                    .node("Gemm", "b", {"ra", "w2"})
                    .node("LeakyRelu", "rb", {"b"})
                    .node("Gemm", "c", {"rb", "w3"})
                    .output("c", {1, 1})
                    .build();
  ASSERT_TRUE(equalize(graph, {}).ok());
  for (const char* weight : {"w1", "w2", "w3"}) {
    EXPECT_THAT(constant_values(graph, weight), ElementsAre(DoubleNear(8, 0.02))) << weight;
  }
}

TEST(Equalize, LeavesPairsThatTheOptionsSpeakOfOrThatDoNotCommute) {
  const auto untouched = [](Graph graph, const Options& options) {
    const auto lines = equalize(graph, options);
    return lines.ok() && lines.value().empty() && constant_values(graph, "w1")[0] == 16;
  };
  EXPECT_TRUE(untouched(two_layers("Sigmoid"), {}));
  Options excluded;
  excluded.nodes_to_exclude = {"second"};
  EXPECT_TRUE(untouched(two_layers(), excluded));
  for (const char* tensor : {"w1", "b1", "act", "w2", "first"}) {
    Options overridden;
    overridden.overrides[tensor].symmetric = true;
    EXPECT_TRUE(untouched(two_layers(), overridden)) << tensor;
  }
}

}  // namespace
}  // namespace assay::quantizer
