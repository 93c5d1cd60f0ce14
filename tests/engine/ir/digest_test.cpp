// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/digest.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

Graph small_graph() {
  Graph graph;
  graph.opsets[""] = 13;
  graph.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = {{.size = 3, .name = ""}}}};
  graph.outputs = {{.name = "y", .dtype = DType::kFloat32, .has_shape = false, .dims = {}}};
  graph.initializers["w"] = Tensor::from<float>({3}, {1, 2, 3});
  Node node;
  node.name = "n";
  node.op_type = "Mul";
  node.inputs = {"x", "w"};
  node.outputs = {"y"};
  node.attributes["a"] = std::vector<Index>{1, 2};
  graph.nodes = {node};
  return graph;
}

TEST(GraphDigest, TellsEveryPartApart) {
  std::set<std::string> digests;
  const auto add = [&](const Graph& graph) {
    EXPECT_EQ(graph_digest(graph).size(), 16U);
    EXPECT_TRUE(digests.insert(graph_digest(graph)).second) << digests.size();
  };
  add(small_graph());
  for (int part = 0; part < 9; ++part) {
    Graph graph = small_graph();
    switch (part) {
      case 0:
        graph.opsets[""] = 14;
        break;
      case 1:
        graph.inputs[0].dims[0].size = 4;
        break;
      case 2:
        graph.outputs[0].name = "z";
        break;
      case 3:
        graph.initializers["w"] = Tensor::from<float>({3}, {1, 2, 4});
        break;
      case 4:
        graph.initializers["w"] = Tensor::from<float>({1, 3}, {1, 2, 3});
        break;
      case 5:
        graph.nodes[0].op_type = "Add";
        break;
      case 6:
        graph.nodes[0].inputs = {"w", "x"};
        break;
      case 7:
        graph.nodes[0].attributes["a"] = std::vector<Index>{12};
        break;
      default:
        graph.nodes[0].attributes["b"] = Index{1};
    }
    add(graph);
  }
}

TEST(GraphDigest, LeavesOutWhatDoesNotCompute) {
  Graph graph = small_graph();
  graph.name = "another";
  graph.metadata["author"] = "someone";
  EXPECT_EQ(graph_digest(graph), graph_digest(small_graph()));
}

}  // namespace
}  // namespace assay
