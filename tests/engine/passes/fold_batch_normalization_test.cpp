// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

// Conv (1x1, 2 channels from 1) and BatchNormalization with epsilon 1: factors 0.5 and 1.
QdqBuilder conv_and_normalization(bool with_bias) {
  QdqBuilder builder;
  builder.input("x", {1, 1, 2, 2})
      .constant("w", Tensor::from<float>({2, 1, 1, 1}, {3, 4}))
      .constant("b", Tensor::from<float>({2}, {1, 2}))
      .constant("scale", Tensor::from<float>({2}, {1, 1}))
      .constant("shift", Tensor::from<float>({2}, {10, 20}))
      .constant("mean", Tensor::from<float>({2}, {5, 6}))
      .constant("var", Tensor::from<float>({2}, {3, 0}))
      .node("Conv", "c", with_bias ? std::vector<std::string>{"x", "w", "b"} : std::vector<std::string>{"x", "w"})
      .node("BatchNormalization", "n", {"c", "scale", "shift", "mean", "var"}, {{"epsilon", 1.0F}});
  return builder;
}

TEST(FoldBatchNormalization, GoesIntoWeightsAndBias) {
  Graph graph = conv_and_normalization(true).output("n").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Conv"});
  const Node& conv = graph.nodes[0];
  EXPECT_EQ(conv.name, "c");
  EXPECT_EQ(conv.origin, "fold_batch_normalization");
  EXPECT_EQ(conv.outputs, std::vector<std::string>{"n"});
  EXPECT_EQ(constant_values(graph, conv.input(1)), (std::vector<double>{1.5, 4}));
  EXPECT_EQ(constant_values(graph, conv.input(2)), (std::vector<double>{(1 - 5) * 0.5 + 10, (2 - 6) * 1.0 + 20}));
}

TEST(FoldBatchNormalization, MakesABiasWhereThereIsNone) {
  Graph graph = conv_and_normalization(false).output("n").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", graph), 1);
  EXPECT_EQ(constant_values(graph, graph.nodes[0].input(2)), (std::vector<double>{-5 * 0.5 + 10, -6 + 20}));
}

TEST(FoldBatchNormalization, SharedWeightsStay) {
  Graph graph = conv_and_normalization(false).node("Conv", "other", {"x", "w"}).output("n").output("other").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", graph), 1);
  EXPECT_EQ(constant_values(graph, "w"), (std::vector<double>{3, 4}));
  EXPECT_EQ(node_named(graph, "other").input(1), "w");
}

TEST(FoldBatchNormalization, TheConvolutionMustHaveNoOtherUser) {
  Graph second = conv_and_normalization(true).node("Relu", "r", {"c"}).output("n").output("r").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", second), 0);
  Graph shown = conv_and_normalization(true).output("n").output("c").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", shown), 0);
}

TEST(FoldBatchNormalization, ParametersMustBeUsableConstants) {
  Graph computed = conv_and_normalization(true).output("n").build();
  computed.initializers.erase("mean");
  computed.inputs.push_back({.name = "mean", .dtype = DType::kFloat32, .has_shape = false, .dims = {}});
  EXPECT_EQ(run_pass("fold_batch_normalization", computed), 0);
  Graph negative = conv_and_normalization(true).constant("var", Tensor::from<float>({2}, {3, -5})).output("n").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", negative), 0);
  Graph short_scale = conv_and_normalization(true).constant("scale", Tensor::from<float>({1}, {1})).output("n").build();
  EXPECT_EQ(run_pass("fold_batch_normalization", short_scale), 0);
}

}  // namespace
}  // namespace assay::test
