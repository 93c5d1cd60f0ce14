// SPDX-License-Identifier: Apache-2.0
// fuse_elementwise: where it fires and where not. pass_equality_test.cpp has the values.
#include <gtest/gtest.h>

#include <map>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

using Names = std::vector<std::string>;
using Ints = std::vector<Index>;
using Floats = std::vector<float>;

constexpr const char* kPass = "fuse_elementwise";

QdqBuilder scalars() {
  QdqBuilder builder(17);
  builder.input("x", {2, 3});
  for (const auto& [name, value] : std::map<std::string, float>{{"three", 3}, {"six", 6}, {"zero", 0}}) {
    builder.constant(name, Tensor::scalar(value));
  }
  return builder;
}

template <typename T>
T attribute(const Node& node, const char* key) {
  return std::get<T>(node.attributes.at(key));
}

TEST(FuseElementwise, AHardSwishInFourNodesIsOneChain) {
  Graph graph = scalars()
                    .node("Add", "a", {"x", "three"})
                    .node("Clip", "c", {"a", "zero", "six"})
                    .node("Mul", "m", {"x", "c"})
                    .node("Div", "y", {"m", "six"})
                    .output("y")
                    .build();
  ASSERT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.op_type, "ElementwiseChain");
  EXPECT_EQ(node.domain, kAssayDomain);
  EXPECT_EQ(node.inputs, Names{"x"});
  EXPECT_EQ(node.outputs, Names{"y"});
  EXPECT_EQ(node.origin, kPass);
  EXPECT_EQ(attribute<Names>(node, "operators"), (Names{"Add", "Clip", "Mul", "Div"}));
  EXPECT_EQ(attribute<Ints>(node, "operands"), (Ints{0, -1, 0, 1, -2, -3, 0, 2, 0, 3, -4, 0}));
  EXPECT_EQ(attribute<Floats>(node, "constants"), (Floats{3, 0, 6, 6}));
  EXPECT_EQ(graph.opset(kAssayDomain), 1);
  EXPECT_FALSE(graph.initializers.contains("three"));
}

TEST(FuseElementwise, ReluIsAClipAndLeakyReluHasItsFactor) {
  Graph graph = scalars()
                    .node("Sub", "a", {"three", "x"})
                    .node("Relu", "r", {"a"})
                    .node("LeakyRelu", "y", {"r"}, {{"alpha", 0.25F}})
                    .output("y")
                    .build();
  ASSERT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(attribute<Names>(graph.nodes[0], "operators"), (Names{"Sub", "Clip", "LeakyRelu"}));
  EXPECT_EQ(attribute<Ints>(graph.nodes[0], "operands"), (Ints{-1, 0, 0, 1, -2, -3, 2, -4, 0}));
}

TEST(FuseElementwise, OneNodeStays) {
  Graph graph = scalars().node("Add", "y", {"x", "three"}).output("y").build();
  EXPECT_EQ(run_pass(kPass, graph), 0);
}

TEST(FuseElementwise, ValuesReadElsewhereStay) {
  Graph shown = scalars().node("Add", "a", {"x", "three"}).node("Relu", "y", {"a"}).output("y").output("a").build();
  EXPECT_EQ(run_pass(kPass, shown), 0);
  Graph read = scalars()
                   .node("Add", "a", {"x", "three"})
                   .node("Relu", "y", {"a"})
                   .node("Abs", "z", {"a"})
                   .output("y")
                   .output("z")
                   .build();
  EXPECT_EQ(run_pass(kPass, read), 0);
}

TEST(FuseElementwise, TwoValuesAreNoChain) {
  Graph graph =
      scalars().input("z", {2, 3}).node("Add", "a", {"x", "three"}).node("Mul", "y", {"a", "z"}).output("y").build();
  EXPECT_EQ(run_pass(kPass, graph), 0);
}

// A part may still be one.
TEST(FuseElementwise, WhatStandsBeforeAnotherOperandIsAChain) {
  Graph graph = scalars()
                    .input("z", {2, 3})
                    .node("Add", "a", {"x", "three"})
                    .node("Relu", "r", {"a"})
                    .node("Mul", "y", {"r", "z"})
                    .output("y")
                    .build();
  ASSERT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].outputs, Names{"r"});
  EXPECT_EQ(graph.nodes[1].op_type, "Mul");
}

TEST(FuseElementwise, OperandsThatChangeTheShapeStay) {
  for (const Shape& shape : {Shape{3}, Shape{1, 1, 1}}) {
    QdqBuilder builder = scalars();
    builder.filled("k", shape, 2).node("Add", "a", {"x", "k"}).node("Relu", "y", {"a"}).output("y");
    Graph graph = builder.build();
    EXPECT_EQ(run_pass(kPass, graph), 0) << shape_text(shape);
  }
  QdqBuilder builder = scalars();
  builder.filled("k", {1, 1}, 2).node("Add", "a", {"x", "k"}).node("Relu", "y", {"a"}).output("y");
  Graph graph = builder.build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
}

TEST(FuseElementwise, OtherTypesStay) {
  QdqBuilder builder(17);
  builder.input("x", {2}, DType::kFloat16).node("Relu", "r", {"x"}).node("LeakyRelu", "y", {"r"}).output("y");
  Graph graph = builder.build();
  EXPECT_EQ(run_pass(kPass, graph), 0);
  QdqBuilder integers(17);
  integers.input("x", {2}, DType::kInt64)
      .constant("k", Tensor::scalar(Index{2}))
      .node("Add", "a", {"x", "k"})
      .node("Mul", "y", {"a", "k"})
      .output("y", DType::kInt64);
  Graph of_integers = integers.build();
  EXPECT_EQ(run_pass(kPass, of_integers), 0);
}

TEST(FuseElementwise, ComputedBoundsStay) {
  Graph graph =
      scalars().input("low", {}).node("Add", "a", {"x", "three"}).node("Clip", "y", {"a", "low"}).output("y").build();
  EXPECT_EQ(run_pass(kPass, graph), 0);
}

TEST(FuseElementwise, LongChainsAreSeveral) {
  QdqBuilder builder = scalars();
  std::string value = "x";
  for (int i = 0; i < 20; ++i) {
    const std::string next = "v" + std::to_string(i);
    builder.node("Add", next, {value, "three"});
    value = next;
  }
  Graph graph = builder.output(value).build();
  ASSERT_EQ(run_pass(kPass, graph), 2);
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(attribute<Names>(graph.nodes[0], "operators").size(), 4U);
  EXPECT_EQ(attribute<Names>(graph.nodes[1], "operators").size(), 16U);
}

}  // namespace
}  // namespace assay::test
