// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/quantize_graph.h"

#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

Graph old_graph() {
  return test::GraphBuilder(9)
      .input("x", {1, 1, 2, 2})
      .constant("w", test::floats({1, 1, 1, 1}, {1}))
      .node("Conv", "conv", {"x", "w"})
      .node("Clip", "clip", {"conv"}, {{"min", 0.0F}, {"max", 6.0F}})
      .output("clip", {1, 1, 2, 2})
      .build();
}

TEST(QuantizeGraph, LiftsOldModels) {
  Graph graph = old_graph();
  graph.ir_version = 4;
  const QuantizedGraph result = quantize_graph(graph, test::ranges({{"x", {0, 9}}, {"clip", {0, 6}}}), {}).value();
  EXPECT_EQ(result.graph.opset(), 13);
  EXPECT_GE(result.graph.ir_version, 7);
  EXPECT_EQ(result.nodes[1].reason, "folded into Conv 'conv': the quantized range [0, 6] is cut at the bounds [0, 6]");
}

TEST(QuantizeGraph, IsDeterministic) {
  const RangeTable ranges = test::ranges({{"x", {0, 9}}, {"clip", {0, 6}}});
  const Graph first = quantize_graph(old_graph(), ranges, {}).value().graph;
  const Graph second = quantize_graph(old_graph(), ranges, {}).value().graph;
  ASSERT_EQ(first.nodes.size(), second.nodes.size());
  for (std::size_t i = 0; i < first.nodes.size(); ++i) {
    EXPECT_EQ(first.nodes[i].name, second.nodes[i].name);
    EXPECT_EQ(first.nodes[i].inputs, second.nodes[i].inputs);
  }
  for (const auto& [name, tensor] : first.initializers) {
    EXPECT_TRUE(bytes_equal(tensor, second.initializers.at(name)));
  }
}

TEST(RangeTable, TakesTheOptionsRanges) {
  Options options;
  options.ranges["x"] = {-1, 2};
  EXPECT_EQ(range_table(options).at("x").range.min, -1);
  EXPECT_EQ(range_table(options).at("x").range.max, 2);
}

}  // namespace
}  // namespace assay::quantizer
