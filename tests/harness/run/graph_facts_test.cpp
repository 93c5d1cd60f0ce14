// SPDX-License-Identifier: Apache-2.0
#include "harness/run/graph_facts.h"

#include <gtest/gtest.h>

#include "tests/harness/run/small_models.h"

namespace assay::run {
namespace {

TEST(GraphFacts, CountsNodesByOperator) {
  const Graph graph = test::qdq_graph();
  EXPECT_EQ(count_nodes(graph, ""), 3);
  EXPECT_EQ(count_nodes(graph, "Flatten"), 1);
  EXPECT_EQ(count_nodes(graph, "Conv"), 0);
  Graph microsoft = graph;
  microsoft.nodes[2].domain = kMicrosoftDomain;
  EXPECT_EQ(count_nodes(microsoft, "com.microsoft.Flatten"), 1);
}

TEST(GraphFacts, StepIsTheScaleBehindTheOutput) {
  EXPECT_EQ(output_step(test::qdq_graph(), "y"), 0.5);
  EXPECT_EQ(output_step(test::relu_graph({{2, ""}}), "y"), std::nullopt);
  Graph per_channel = test::qdq_graph();
  per_channel.initializers["scale"] = Tensor::from<float>({3}, {1, 2, 3});
  EXPECT_EQ(output_step(per_channel, "y"), std::nullopt);
  Graph computed = test::qdq_graph();
  computed.nodes[2].op_type = "Softmax";
  EXPECT_EQ(output_step(computed, "y"), std::nullopt);
}

TEST(GraphFacts, KnowsQuantizedModels) {
  EXPECT_TRUE(is_qdq_model(test::qdq_graph()));
  EXPECT_TRUE(has_quantizing_nodes(test::qdq_graph()));
  EXPECT_FALSE(is_qdq_model(test::relu_graph({{2, ""}})));
  EXPECT_FALSE(has_quantizing_nodes(test::relu_graph({{2, ""}})));
}

// x and xq live while q runs: 24 + 6 bytes; xq and xd while dq runs: 6 + 24; xd and y at the end: 24 + 24.
TEST(GraphFacts, PeakIsTheLargestSumOfLiveValues) {
  const Result<api::Model> model = api::Model::from_graph(test::qdq_graph());
  ASSERT_TRUE(model.ok()) << model.error().message;
  api::SessionOptions options;
  options.optimization = api::Optimization::kNone;
  const Result<api::Session> session = api::Session::create(model.value(), options);
  ASSERT_TRUE(session.ok()) << session.error().message;
  const Result<Index> peak = peak_bytes(session.value(), {{"x", Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6})}});
  ASSERT_TRUE(peak.ok()) << peak.error().message;
  EXPECT_EQ(peak.value(), 48);
}

}  // namespace
}  // namespace assay::run
