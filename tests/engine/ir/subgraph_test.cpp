// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/subgraph.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Node node_of(const std::string& op_type, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Node node;
  node.name = outputs[0];
  node.op_type = op_type;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

ValueInfo value(const std::string& name) {
  ValueInfo info;
  info.name = name;
  return info;
}

std::vector<std::string> names(const std::vector<ValueInfo>& infos) {
  std::vector<std::string> out;
  for (const ValueInfo& info : infos) {
    out.push_back(info.name);
  }
  return out;
}

using Names = std::vector<std::string>;

// y = If(c): then a + b, else If(d): then e, else a.
Graph nested() {
  Graph innermost_then;
  innermost_then.outputs = {value("e")};
  Graph innermost_else;
  innermost_else.outputs = {value("a")};
  Node inner = node_of("If", {"d"}, {"z"});
  inner.attributes["then_branch"] = std::make_shared<const Graph>(innermost_then);
  inner.attributes["else_branch"] = std::make_shared<const Graph>(innermost_else);
  Graph branch_else;
  branch_else.nodes = {inner};
  branch_else.outputs = {value("z")};
  Graph branch_then;
  branch_then.nodes = {node_of("Add", {"a", "b"}, {"s"})};
  branch_then.outputs = {value("s")};
  Node outer = node_of("If", {"c"}, {"y"});
  outer.attributes["then_branch"] = std::make_shared<const Graph>(branch_then);
  outer.attributes["else_branch"] = std::make_shared<const Graph>(branch_else);
  Graph graph;
  graph.inputs = {value("a"), value("b"), value("c"), value("d"), value("e")};
  graph.nodes = {outer};
  graph.outputs = {value("y")};
  return graph;
}

TEST(Subgraph, CapturesOuterValuesThroughAllLevels) {
  Graph graph = nested();
  capture_outer_values(graph);
  const Node& outer = graph.nodes[0];
  EXPECT_EQ(outer.inputs, (Names{"c", "d", "a", "e", "b"}));
  EXPECT_EQ(outer.captures, 4U);
  EXPECT_EQ(outer.own_inputs(), 1U);
  for (const char* key : {"then_branch", "else_branch"}) {
    EXPECT_EQ(names(outer.graph_attribute(key)->inputs), (Names{"d", "a", "e", "b"})) << key;
  }
  const Node& inner = outer.graph_attribute("else_branch")->nodes[0];
  EXPECT_EQ(inner.inputs, (Names{"d", "a", "e"}));
  EXPECT_EQ(inner.captures, 2U);
  Graph branch = *outer.graph_attribute("else_branch");
  ASSERT_TRUE(topological_sort(graph).ok());  // `outer` moves
  EXPECT_TRUE(topological_sort(branch).ok());
  const Graph before = graph;
  capture_outer_values(graph);
  EXPECT_EQ(graph.nodes[0].inputs, before.nodes[0].inputs);
}

TEST(Subgraph, AValueOfItsOwnIsNoCapture) {
  Graph graph = nested();
  auto branch = std::make_shared<Graph>(*graph.nodes[0].graph_attribute("then_branch"));
  branch->initializers["a"] = Tensor::scalar(1.0F);  // hides the outer one
  graph.nodes[0].attributes["then_branch"] = GraphPtr(branch);
  graph.nodes[0].attributes["else_branch"] = GraphPtr(branch);
  capture_outer_values(graph);
  EXPECT_EQ(graph.nodes[0].inputs, (Names{"c", "b"}));
}

TEST(Subgraph, GoesBackToOuterNames) {
  Graph graph = nested();
  capture_outer_values(graph);
  Node& outer = graph.nodes[0];
  const GraphPtr closed = outer.graph_attribute("then_branch");
  Graph same = with_outer_names(*closed, outer);
  EXPECT_TRUE(same.inputs.empty());
  EXPECT_EQ(same.nodes[0].inputs, (Names{"a", "b"}));
  outer.inputs[2] = "a2";  // a pass put another value in a's place
  outer.inputs[4] = "s";   // and one whose name the branch uses for its own
  const Graph renamed = with_outer_names(*closed, outer);
  EXPECT_EQ(renamed.nodes[0].inputs, (Names{"a2", "s"}));
  EXPECT_EQ(renamed.nodes[0].outputs, (Names{"s_inner"}));
  EXPECT_EQ(names(renamed.outputs), (Names{"s_inner"}));
}

TEST(Subgraph, BindsConstants) {
  Graph graph = nested();
  capture_outer_values(graph);
  std::erase_if(graph.inputs, [](const ValueInfo& info) { return info.name == "a" || info.name == "b"; });
  graph.initializers["a"] = Tensor::scalar(3.0F);
  graph.initializers["b"] = Tensor::scalar(4.0F);
  Node& outer = graph.nodes[0];
  bind_constant_captures(graph, outer);
  EXPECT_EQ(outer.inputs, (Names{"c", "d", "e"}));
  EXPECT_EQ(outer.captures, 2U);
  const GraphPtr branch = outer.graph_attribute("then_branch");
  EXPECT_EQ(names(branch->inputs), (Names{"d", "e"}));
  ASSERT_NE(branch->constant("b"), nullptr);
  EXPECT_EQ(branch->constant("b")->data<float>()[0], 4.0F);
}

TEST(Subgraph, RenamesEverywhere) {
  Graph graph;
  graph.inputs = {value("x")};
  graph.initializers["w"] = Tensor::scalar(1.0F);
  graph.nodes = {node_of("Add", {"x", "w"}, {"y"})};
  graph.outputs = {value("y")};
  for (const char* name : {"x", "w", "y"}) {
    rename_value(graph, name, std::string(name) + "1");
  }
  EXPECT_EQ(names(graph.inputs), (Names{"x1"}));
  EXPECT_EQ(names(graph.outputs), (Names{"y1"}));
  EXPECT_EQ(graph.nodes[0].inputs, (Names{"x1", "w1"}));
  EXPECT_EQ(graph.nodes[0].outputs, (Names{"y1"}));
  EXPECT_NE(graph.constant("w1"), nullptr);
}

TEST(Subgraph, IsVisitedUnderTheNamesThatLeadToIt) {
  Names visited;
  for_each_graph(nested(), [&](const std::string& prefix, const Graph&) { visited.push_back(prefix); });
  EXPECT_EQ(visited, (Names{"", "y/else_branch/", "y/else_branch/z/else_branch/", "y/else_branch/z/then_branch/",
                            "y/then_branch/"}));
}

TEST(Subgraph, GetsNamesOfItsOwn) {
  Graph graph = nested();
  graph.inputs.push_back(value("s"));    // what then_branch makes
  graph.inputs.push_back(value("s_1"));  // and the next name for it
  capture_outer_values(graph);
  make_subgraph_names_unique(graph);
  const Graph written = with_outer_names(*graph.nodes[0].graph_attribute("then_branch"), graph.nodes[0]);
  EXPECT_EQ(written.nodes[0].outputs, Names{"s_2"});
  EXPECT_EQ(names(written.outputs), Names{"s_2"});
  EXPECT_EQ(written.nodes[0].inputs, (Names{"a", "b"}));  // captures keep the names that they have outside
}

}  // namespace
}  // namespace assay
