// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/fuse_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::constant_values;
using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;

Graph product_and_sum(const std::string& op_type, const Shape& addend, AttributeMap attributes = {}, Index rank = 2) {
  GraphBuilder builder;
  Shape input = {1, 2};
  Shape weight = {2, 3};
  if (op_type == "Conv") {
    input = {1, 2, 4};
    weight = {3, 2, 1};
  } else if (rank == 3) {
    input = {1, 1, 2};
  }
  std::vector<float> values;
  for (Index i = 0; i < element_count(addend).value(); ++i) {
    values.push_back(static_cast<float>(i + 1));
  }
  builder.input("x", input)
      .constant("w", floats(weight, {1, 2, 3, 4, 5, 6}))
      .constant("c", floats(addend, values))
      .constant("bias", floats({3}, {10, 20, 30}));
  std::vector<std::string> inputs = {"x", "w"};
  if (op_type == "Gemm") {
    inputs.emplace_back("bias");
  }
  return builder.node(op_type, "product", inputs, std::move(attributes))
      .node("Add", "sum", {"product", "c"})
      .output("sum", {1, 3})
      .build();
}

std::vector<std::string> fused(Graph& graph, const Options& options = {}) {
  const auto lines = fuse_bias(graph, options);
  return lines.ok() ? lines.value() : std::vector<std::string>{lines.error().message};
}

TEST(FuseBias, MakesAMatMulOfMatricesAGemm) {
  Graph graph = product_and_sum("MatMul", {3});
  EXPECT_THAT(fused(graph), ElementsAre("fused Add 'sum' into the bias of 'product'"));
  const Node gemm = test::only_node(graph, "Gemm");
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(gemm.name, "product");
  EXPECT_EQ(gemm.outputs[0], "sum");
  EXPECT_THAT(constant_values(graph, gemm.input(2)), ElementsAre(1, 2, 3));
}

TEST(FuseBias, AddsToTheBiasOfAGemmWithItsFactor) {
  Graph graph = product_and_sum("Gemm", {1, 3}, {{"beta", 0.5F}});
  ASSERT_EQ(fused(graph).size(), 1U);
  EXPECT_THAT(constant_values(graph, graph.nodes[0].input(2)), ElementsAre(6, 12, 18));
  EXPECT_FALSE(graph.nodes[0].has_attribute("beta"));
}

TEST(FuseBias, GivesAConvABias) {
  Graph graph = product_and_sum("Conv", {3, 1});
  ASSERT_EQ(fused(graph).size(), 1U);
  EXPECT_THAT(constant_values(graph, graph.nodes[0].input(2)), ElementsAre(1, 2, 3));
  Graph single = product_and_sum("Conv", {});
  ASSERT_EQ(fused(single).size(), 1U);
  EXPECT_THAT(constant_values(single, single.nodes[0].input(2)), ElementsAre(1, 1, 1));
}

TEST(FuseBias, LeavesWhatIsNoBias) {
  for (const Graph& original :
       {product_and_sum("MatMul", {3}, {}, 3), product_and_sum("Conv", {3}), product_and_sum("Conv", {1, 1, 1, 1}),
        product_and_sum("MatMul", {2, 3}), product_and_sum("MatMul", {1, 1, 3})}) {
    Graph graph = original;
    EXPECT_THAT(fused(graph), ElementsAre());
    EXPECT_EQ(graph.nodes.size(), 2U);
  }
  Graph shared = product_and_sum("MatMul", {3});
  shared.outputs.push_back(shared.outputs[0]);
  shared.outputs[1].name = "product";
  EXPECT_THAT(fused(shared), ElementsAre());
}

TEST(FuseBias, LeavesWhatTheOptionsSpeakOf) {
  const auto left = [](const Options& options) {
    Graph graph = product_and_sum("MatMul", {3});
    return fused(graph, options).empty();
  };
  Options excluded;
  excluded.nodes_to_exclude = {"sum"};
  EXPECT_TRUE(left(excluded));
  Options types;
  types.op_types = {"MatMul", "Add"};  // it would be a Gemm
  EXPECT_TRUE(left(types));
  types.op_types.emplace_back("Gemm");
  EXPECT_FALSE(left(types));
  for (const char* tensor : {"product", "c"}) {
    Options overridden;
    overridden.overrides[tensor].symmetric = true;
    EXPECT_TRUE(left(overridden)) << tensor;
  }
}

}  // namespace
}  // namespace assay::quantizer
