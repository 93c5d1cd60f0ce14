// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/runtime/evaluate.h"
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

const passes::PassContext kContext = {.profile = {}, .evaluate = runtime::evaluate_node};

TEST(ConstantFolding, ComputesWhatIsConstant) {
  Graph graph = QdqBuilder()
                    .input("x", {2})
                    .constant("a", Tensor::from<float>({2}, {1, -2}))
                    .constant("b", Tensor::from<float>({2}, {0.5F, 0.5F}))
                    .node("Add", "s", {"a", "b"})
                    .node("Relu", "r", {"s"})
                    .node("Mul", "y", {"x", "r"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("constant_folding", graph, kContext), 2);
  EXPECT_EQ(op_types(graph), Types{"Mul"});
  EXPECT_EQ(constant_values(graph, "r"), (std::vector<double>{1.5, 0}));
}

TEST(ConstantFolding, QuantizesConstantsButDoesNotDequantizeThem) {
  Graph graph = QdqBuilder()
                    .input("x", {2})
                    .constant("w", Tensor::from<float>({2}, {1, -2}))
                    .pair("d", "w", kSigned)
                    .node("Mul", "y", {"x", "d"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("constant_folding", graph, kContext), 1);
  EXPECT_EQ(op_types(graph), (Types{"DequantizeLinear", "Mul"}));
  EXPECT_EQ(constant_values(graph, "d_q"), (std::vector<double>{4, -8}));
}

TEST(ConstantFolding, AGraphOutputBecomesAConstant) {
  Graph graph = QdqBuilder().constant("a", Tensor::from<float>({1}, {-3})).node("Relu", "y", {"a"}).output("y").build();
  EXPECT_EQ(run_pass("constant_folding", graph, kContext), 1);
  EXPECT_TRUE(graph.nodes.empty());
  EXPECT_EQ(constant_values(graph, "y"), std::vector<double>{0});
}

TEST(ConstantFolding, LeavesWhatGrowsTooMuch) {
  Graph graph = QdqBuilder()
                    .constant("a", Tensor::from<float>({2048, 1}, std::vector<float>(2048, 1)))
                    .constant("b", Tensor::from<float>({1, 2048}, std::vector<float>(2048, 1)))
                    .node("Add", "y", {"a", "b"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass("constant_folding", graph, kContext), 0);
  EXPECT_EQ(op_types(graph), Types{"Add"});
}

TEST(ConstantFolding, LeavesWhatFailsAndNeedsAnEvaluator) {
  const Graph graph = QdqBuilder()
                          .constant("a", Tensor::from<float>({2}, {1, 2}))
                          .constant("b", Tensor::from<float>({3}, {1, 2, 3}))
                          .node("Add", "y", {"a", "b"})
                          .output("y")
                          .build();
  Graph failing = graph;
  EXPECT_EQ(run_pass("constant_folding", failing, kContext), 0);
  Graph without =
      QdqBuilder().constant("a", Tensor::from<float>({1}, {1})).node("Relu", "y", {"a"}).output("y").build();
  EXPECT_EQ(run_pass("constant_folding", without, {}), 0);
}

}  // namespace
}  // namespace assay::test
