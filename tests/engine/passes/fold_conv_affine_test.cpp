// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fold_conv_affine";

// Conv of two channels to three without bias; the next node reads it as "c".
QdqBuilder conv(bool constant_weight = true) {
  QdqBuilder builder(17);
  builder.input("x", {1, 2, 4, 3});
  if (constant_weight) {
    builder.filled("w", {3, 2, 1, 1}, 2);
  } else {
    builder.input("w", {3, 2, 1, 1});
  }
  builder.constant("k", Tensor::from<float>({3, 1, 1}, {1, 2, 4})).filled("s", {}, 2).filled("zero", {}, 0);
  builder.constant("k4", Tensor::from<float>({1, 3, 1, 1}, {1, 2, 4})).filled("columns", {3}, 2);
  builder.filled("wide", {1, 1, 3, 1, 1}, 2).filled("batch", {3, 1, 1, 1}, 2);
  builder.constant("half", Tensor::from<std::uint16_t>({}, {0x4000}));
  return std::move(builder.node("Conv", "c", {"x", "w"}));
}

struct Folded {
  std::vector<double> weight;
  std::vector<double> bias;
};
Folded folded(const std::string& op, const std::vector<std::string>& inputs) {
  Graph graph = conv().node(op, "y", inputs).output("y").build();
  EXPECT_EQ(run_pass(kPass, graph), 1) << op;
  EXPECT_EQ(op_types(graph), Types{"Conv"});
  EXPECT_EQ(graph.nodes[0].origin, kPass);
  return {.weight = constant_values(graph, graph.nodes[0].input(1)),
          .bias = constant_values(graph, graph.nodes[0].input(2))};
}

TEST(FoldConvAffine, FoldsEachOperator) {
  const std::vector<double> same(6, 2.0);
  EXPECT_EQ(folded("Mul", {"c", "k"}).weight, (std::vector<double>{2, 2, 4, 4, 8, 8}));
  EXPECT_EQ(folded("Mul", {"k4", "c"}).weight, (std::vector<double>{2, 2, 4, 4, 8, 8}));
  EXPECT_EQ(folded("Div", {"c", "k"}).weight, (std::vector<double>{2, 2, 1, 1, 0.5, 0.5}));
  EXPECT_EQ(folded("Add", {"c", "k"}).weight, same);
  EXPECT_EQ(folded("Add", {"k", "c"}).bias, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(folded("Sub", {"c", "s"}).bias, (std::vector<double>{-2, -2, -2}));
}

TEST(FoldConvAffine, ChainsMeetTheBias) {
  Graph graph = conv().node("Add", "a", {"c", "k"}).node("Mul", "y", {"a", "s"}).output("y").build();
  EXPECT_EQ(run_pass(kPass, graph), 2);
  EXPECT_EQ(constant_values(graph, graph.nodes[0].input(2)), (std::vector<double>{2, 4, 8}));
}

TEST(FoldConvAffine, LeavesTheRest) {
  const auto count = [](const std::string& op, const std::vector<std::string>& inputs) {
    return rewrites(kPass, conv().node(op, "y", inputs).output("y"));
  };
  EXPECT_EQ(count("Mul", {"c", "columns"}), 0);  // along the width
  EXPECT_EQ(count("Mul", {"c", "wide"}), 0);     // adds a dimension
  EXPECT_EQ(count("Mul", {"c", "batch"}), 0);
  EXPECT_EQ(count("Div", {"s", "c"}), 0);
  EXPECT_EQ(count("Sub", {"s", "c"}), 0);
  EXPECT_EQ(count("Div", {"c", "zero"}), 0);  // weights would be infinite
  EXPECT_EQ(count("Mul", {"c", "c"}), 0);
  EXPECT_EQ(count("Mul", {"c", "half"}), 0);
  EXPECT_EQ(count("Max", {"c", "s"}), 0);
}

TEST(FoldConvAffine, NeedsConstantsOfItsOwn) {
  EXPECT_EQ(rewrites(kPass, conv(false).node("Mul", "y", {"c", "s"}).output("y")), 0);
  EXPECT_EQ(rewrites(kPass, conv().node("Mul", "y", {"c", "s"}).output("y").output("c")), 0);
  EXPECT_EQ(rewrites(kPass, conv().node("Mul", "y", {"c", "s"}).node("Relu", "z", {"c"}).output("y").output("z")), 0);
  Graph computed_bias = conv().input("b", {3}).node("Mul", "y", {"c", "s"}).output("y").build();
  computed_bias.nodes[0].inputs.emplace_back("b");
  EXPECT_EQ(run_pass(kPass, computed_bias), 0);
}

// Weights that several nodes share stay what they are for the others.
TEST(FoldConvAffine, SharedWeightsAreCopied) {
  Graph graph = conv().node("Mul", "y", {"c", "s"}).node("Conv", "z", {"x", "w"}).output("y").output("z").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(constant_values(graph, node_named(graph, "z").input(1)), std::vector<double>(6, 2.0));
}

}  // namespace
}  // namespace assay::test
