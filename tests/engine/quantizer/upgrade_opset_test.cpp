// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/upgrade_opset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::GraphBuilder;
using testing::ElementsAre;

Status upgrade(Graph& graph) {
  RangeTable ranges;
  return upgrade_opset(graph, ranges);
}

TEST(UpgradeOpset, LeavesOpset13Alone) {
  Graph graph = GraphBuilder(17).input("x", {1}).node("Anything", "y", {"x"}).output("y", {1}).build();
  EXPECT_TRUE(upgrade(graph).ok());
  EXPECT_EQ(graph.opset(), 17);
}

TEST(UpgradeOpset, TurnsAttributesIntoInputs) {
  Graph graph = GraphBuilder(10)
                    .input("x", {2, 3})
                    .node("Unsqueeze", "wide", {"x"}, {{"axes", std::vector<Index>{0, 3}}})
                    .node("Squeeze", "narrow", {"wide"}, {{"axes", std::vector<Index>{0}}})
                    .node("Squeeze", "all", {"narrow"})
                    .node("Clip", "clip", {"all"}, {{"max", 6.0F}})
                    .node("Pad", "pad", {"clip"}, {{"pads", std::vector<Index>{1, 1, 1, 1}}, {"value", 2.0F}})
                    .output("pad", {4, 5})
                    .build();
  ASSERT_TRUE(upgrade(graph).ok());
  EXPECT_EQ(graph.opset(), 13);
  EXPECT_THAT(test::constant_values(graph, graph.nodes[0].inputs[1]), ElementsAre(0, 3));
  EXPECT_THAT(test::constant_values(graph, graph.nodes[1].inputs[1]), ElementsAre(0));
  EXPECT_EQ(graph.nodes[2].inputs.size(), 1U);
  EXPECT_THAT(graph.nodes[3].inputs, ElementsAre("all", "", "clip_max"));
  EXPECT_THAT(test::constant_values(graph, "clip_max"), ElementsAre(6));
  EXPECT_THAT(test::constant_values(graph, graph.nodes[4].inputs[1]), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(test::constant_values(graph, graph.nodes[4].inputs[2]), ElementsAre(2));
  for (const Node& node : graph.nodes) {
    EXPECT_TRUE(node.attributes.empty()) << node.name;
  }
}

TEST(UpgradeOpset, RewritesSplitSliceAndTopK) {
  Graph graph = GraphBuilder(9)
                    .input("x", {4})
                    .node("Split", "split", {"x"}, {{"split", std::vector<Index>{1, 3}}, {"axis", Index{0}}})
                    .node("Slice", "slice", {"x"}, {{"starts", std::vector<Index>{1}}, {"ends", std::vector<Index>{3}}})
                    .node("TopK", "top", {"x"}, {{"k", Index{2}}})
                    .node("ReduceSum", "sum", {"x"}, {{"axes", std::vector<Index>{0}}, {"keepdims", Index{0}}})
                    .output("sum", {})
                    .build();
  ASSERT_TRUE(upgrade(graph).ok());
  EXPECT_THAT(test::constant_values(graph, graph.nodes[0].input(1)), ElementsAre(1, 3));
  EXPECT_THAT(test::constant_values(graph, graph.nodes[1].input(1)), ElementsAre(1));
  EXPECT_THAT(test::constant_values(graph, graph.nodes[1].input(2)), ElementsAre(3));
  EXPECT_EQ(graph.nodes[1].input(3), "");
  EXPECT_THAT(test::constant_values(graph, graph.nodes[2].input(1)), ElementsAre(2));
  EXPECT_THAT(test::constant_values(graph, graph.nodes[3].input(1)), ElementsAre(0));
  EXPECT_TRUE(graph.nodes[3].has_attribute("keepdims"));
}

TEST(UpgradeOpset, MakesUpsampleAResizeThatRoundsDown) {
  Graph graph = GraphBuilder(9)
                    .input("x", {1, 1, 2, 2})
                    .constant("by", test::floats({4}, {1, 1, 2, 2}))
                    .node("Upsample", "up", {"x", "by"}, {{"mode", std::string("nearest")}})
                    .output("up", {1, 1, 4, 4})
                    .build();
  ASSERT_TRUE(upgrade(graph).ok());
  EXPECT_EQ(graph.nodes[0].op_type, "Resize");
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x", "", "by"));
  EXPECT_EQ(graph.nodes[0].string_attribute("coordinate_transformation_mode", ""), "asymmetric");
  EXPECT_EQ(graph.nodes[0].string_attribute("nearest_mode", ""), "floor");
}

TEST(UpgradeOpset, LeavesWhatKeptItsForm) {
  Graph graph = GraphBuilder(11)
                    .input("x", {4})
                    .constant("i", Tensor::from<Index>({1}, {2}))
                    .node("Gather", "g", {"x", "i"})
                    .node("Div", "d", {"g", "x"})
                    .node("Where", "w", {"c", "d", "x"})
                    .output("w", {4})
                    .build();
  ASSERT_TRUE(upgrade(graph).ok());
  EXPECT_EQ(graph.opset(), 13);
  Graph old = GraphBuilder(7).input("x", {4}).node("Loop", "l", {"x"}).output("l", {4}).build();
  EXPECT_FALSE(upgrade(old).ok());
}

TEST(UpgradeOpset, SoftmaxOfTheLastAxisKeepsItsForm) {
  Graph graph = GraphBuilder(9).input("x", {2, 3}).node("Softmax", "y", {"x"}).output("y", {2, 3}).build();
  ASSERT_TRUE(upgrade(graph).ok());
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.nodes[0].int_attribute("axis", 0), -1);
}

TEST(UpgradeOpset, SoftmaxOverSeveralAxesIsFlattened) {
  Graph graph = GraphBuilder(9).input("x", {2, 3, 4}).node("Softmax", "y", {"x"}).output("y", {2, 3, 4}).build();
  RangeTable ranges = test::ranges({{"x", {-3, 3}}});
  ASSERT_TRUE(upgrade_opset(graph, ranges).ok());
  EXPECT_THAT(test::op_types(graph), ElementsAre("Flatten", "Softmax", "Reshape"));
  EXPECT_EQ(graph.nodes[0].int_attribute("axis", 0), 1);
  EXPECT_THAT(test::constant_values(graph, graph.nodes[2].inputs[1]), ElementsAre(2, 3, 4));
  EXPECT_EQ(graph.nodes[2].outputs[0], "y");
  EXPECT_EQ(ranges.at(graph.nodes[0].outputs[0]).range.max, 3);
  EXPECT_TRUE(topological_sort(graph).ok());
}

TEST(UpgradeOpset, UsesTheObservedRank) {
  Graph graph = GraphBuilder(9).input("x", {2, 3}).node("Softmax", "y", {"x"}).output("y", {2, 3}).build();
  graph.inputs[0].has_shape = false;
  graph.outputs[0].has_shape = false;
  Graph unknown = graph;
  const Status refused = upgrade(unknown);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "Softmax node 'y' (opset 9): cannot be lifted to opset 13: the rank of 'x' is not known; export the model "
            "with opset 13 or later");
  RangeTable ranges;
  ranges["x"].rank = 2;
  EXPECT_TRUE(upgrade_opset(graph, ranges).ok());
}

TEST(UpgradeOpset, NamesAnOperatorItCannotLift) {
  Graph graph = GraphBuilder(9).input("x", {1}).node("Hardmax", "up", {"x"}).output("up", {1}).build();
  const Status status = upgrade(graph);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "Hardmax node 'up' (opset 9): cannot be lifted to opset 13: its form may have changed; export the model "
            "with opset 13 or later");
}

TEST(UpgradeOpset, AttributesBecomeInputsOfTheOperandsType) {
  Graph graph = GraphBuilder(10)
                    .input("x", {2, 2}, DType::kFloat16)
                    .node("Clip", "clip", {"x"}, {{"min", 0.5F}})
                    .node("Pad", "pad", {"clip"}, {{"pads", std::vector<Index>{1, 1, 1, 1}}, {"value", 2.0F}})
                    .output("pad", {4, 4}, DType::kFloat16)
                    .build();
  ASSERT_TRUE(upgrade(graph).ok());
  for (const auto& [name, value] : {std::pair("clip_min", 0.5), std::pair("pad_value", 2.0)}) {
    ASSERT_EQ(graph.constant(name)->dtype(), DType::kFloat16) << name;
    EXPECT_EQ(graph.constant(name)->to_doubles()[0], value) << name;
  }
}

}  // namespace
}  // namespace assay::quantizer
