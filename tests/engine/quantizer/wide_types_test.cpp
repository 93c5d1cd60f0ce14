// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/wide_types.h"

#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::GraphBuilder;

TEST(WideTypes, AskForOpset21) {
  Options options;
  EXPECT_FALSE(needs_opset_21({}, options));
  options.weight_type = DType::kInt4;
  EXPECT_TRUE(needs_opset_21({}, options));
  options = {};
  options.overrides["x"].type = DType::kUint16;
  EXPECT_TRUE(needs_opset_21({}, options));
  options = {};
  options.block_size = 16;
  EXPECT_TRUE(needs_opset_21({}, options));
  EXPECT_TRUE(needs_opset_21(GraphBuilder().input("x", {1}, DType::kFloat16).build(), {}));
}

TEST(LiftToOpset21, RewritesChangedForms) {
  Graph graph = GraphBuilder()
                    .input("x", {2, 4})
                    .node("ReduceMean", "mean", {"x"}, {{"axes", std::vector<Index>{1}}})
                    .node("Split", "parts", {"x"})
                    .output("mean", {2, 1})
                    .build();
  graph.nodes[1].outputs = {"a", "b"};
  ASSERT_TRUE(lift_to_opset_21(graph).ok());
  EXPECT_EQ(graph.opset(), 21);
  EXPECT_EQ(graph.ir_version, 10);
  EXPECT_FALSE(graph.nodes[0].has_attribute("axes"));
  EXPECT_EQ(graph.constant(graph.nodes[0].inputs[1])->to_indices(), std::vector<Index>{1});
  EXPECT_EQ(graph.nodes[1].int_attribute("num_outputs", 0), 2);
}

TEST(LiftToOpset21, RefusesWhatChangedItsMeaning) {
  Graph graph = GraphBuilder().input("x", {2, 4}).node("DFT", "dft", {"x"}).output("dft", {2, 4}).build();
  const Status status = lift_to_opset_21(graph);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace assay::quantizer
