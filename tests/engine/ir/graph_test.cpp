// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Node relu(const std::string& name, const std::string& input, const std::string& output) {
  Node node;
  node.name = name;
  node.op_type = "Relu";
  node.inputs = {input};
  node.outputs = {output};
  return node;
}

Graph two_relus() {
  Graph graph;
  graph.opsets[""] = 13;
  graph.inputs.push_back({.name = "x", .dtype = DType::kFloat32, .has_shape = false, .dims = {}});
  graph.outputs.push_back({.name = "z", .dtype = DType::kFloat32, .has_shape = false, .dims = {}});
  graph.nodes = {relu("second", "y", "z"), relu("first", "x", "y")};
  return graph;
}

TEST(Graph, SortsProducersFirst) {
  Graph graph = two_relus();
  ASSERT_TRUE(topological_sort(graph).ok());
  EXPECT_EQ(graph.nodes[0].name, "first");
  EXPECT_EQ(graph.nodes[1].name, "second");
}

TEST(Graph, NamesACycle) {
  Graph graph = two_relus();
  graph.nodes[1].inputs = {"z"};
  const Status status = topological_sort(graph);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the graph has a cycle through Relu node 'second' (opset 13)");
}

TEST(Graph, NamesAMissingProducer) {
  Graph graph = two_relus();
  graph.nodes[1].inputs = {"nowhere"};
  EXPECT_NE(topological_sort(graph).error().message.find("'nowhere' is made by no node"), std::string::npos);
}

TEST(Graph, RefusesTwoProducers) {
  Graph graph = two_relus();
  graph.nodes.push_back(relu("third", "x", "y"));
  EXPECT_NE(topological_sort(graph).error().message.find("'y' already has a producer"), std::string::npos);
}

TEST(Graph, RemovesDeadNodesAndInitializers) {
  Graph graph = two_relus();
  ASSERT_TRUE(topological_sort(graph).ok());
  graph.initializers["unused"] = Tensor::scalar(1.0F);
  graph.nodes.push_back(relu("dead", "x", "w"));
  remove_dead_nodes(graph);
  EXPECT_EQ(graph.nodes.size(), 2U);
  EXPECT_TRUE(graph.initializers.empty());
}

TEST(Graph, FreshNamesAreFree) {
  const Graph graph = two_relus();
  EXPECT_EQ(fresh_name(graph, "w"), "w");
  EXPECT_EQ(fresh_name(graph, "y"), "y_1");
}

}  // namespace
}  // namespace assay
