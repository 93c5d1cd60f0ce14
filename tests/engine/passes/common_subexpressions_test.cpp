// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "common_subexpressions";

// Two nodes of x whose difference is the output.
QdqBuilder twice(AttributeMap first, AttributeMap second, const std::string& op = "LeakyRelu") {
  QdqBuilder builder(17);
  builder.input("x", {4}).node(op, "a", {"x"}, std::move(first)).node(op, "b", {"x"}, std::move(second));
  return std::move(builder.node("Sub", "y", {"a", "b"}).output("y"));
}

TEST(CommonSubexpressions, EqualNodesAreOne) {
  Graph graph = twice({{"alpha", 0.5F}}, {{"alpha", 0.5F}}).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), (Types{"LeakyRelu", "Sub"}));
  EXPECT_EQ(graph.nodes[1].inputs, (std::vector<std::string>{"a", "a"}));
}

TEST(CommonSubexpressions, ChainsOfThemToo) {
  QdqBuilder builder(17);
  builder.input("x", {4}).filled("one", {}, 1).filled("uno", {}, 1).filled("big1", {100}, 1).filled("big2", {100}, 1);
  builder.node("Relu", "a", {"x"})
      .node("Relu", "b", {"x"})
      .node("Add", "c", {"a", "one"})
      .node("Add", "d", {"b", "uno"});
  Graph graph = builder.node("Sub", "y", {"c", "d"}).output("y").build();
  EXPECT_EQ(run_pass(kPass, graph), 2);  // small constants count by value
  EXPECT_EQ(op_types(graph), (Types{"Relu", "Add", "Sub"}));
}

TEST(CommonSubexpressions, DifferentNodesStay) {
  EXPECT_EQ(rewrites(kPass, twice({{"alpha", 0.5F}}, {{"alpha", 0.25F}})), 0);
  EXPECT_EQ(rewrites(kPass, twice({{"alpha", 0.5F}}, {})), 0);
  EXPECT_EQ(rewrites(kPass, twice({}, {}, "RandomNormalLike")), 0);
  QdqBuilder order(17);
  order.input("x", {4}).input("z", {4}).node("Sub", "a", {"x", "z"}).node("Sub", "b", {"z", "x"});
  EXPECT_EQ(rewrites(kPass, order.node("Add", "y", {"a", "b"}).output("y")), 0);
  QdqBuilder types(17);
  types.input("x", {4}).constant("i", Tensor::scalar<std::int32_t>(0)).constant("u", Tensor::scalar<std::uint32_t>(0));
  types.node("CastLike", "a", {"x", "i"}).node("CastLike", "b", {"x", "u"});
  types.node("Cast", "c", {"a"}, {{"to", Index{1}}}).node("Cast", "d", {"b"}, {{"to", Index{1}}});
  EXPECT_EQ(rewrites(kPass, types.node("Sub", "y", {"c", "d"}).output("y")), 0);
}

TEST(CommonSubexpressions, AnOutputKeepsItsNode) {
  Graph graph = twice({}, {}).output("b").build();
  EXPECT_EQ(run_pass(kPass, graph), 0);
  Graph first = twice({}, {}).output("a").build();
  EXPECT_EQ(run_pass(kPass, first), 1);
  EXPECT_EQ(op_types(first), (Types{"LeakyRelu", "Sub"}));
}

TEST(CommonSubexpressions, EveryOutputMustBeThere) {
  Graph graph = twice({}, {}, "MaxPool").build();
  graph.nodes[1].outputs.emplace_back("indices");
  EXPECT_EQ(run_pass(kPass, graph), 0);
  Graph other = twice({}, {}, "MaxPool").build();
  other.nodes[0].outputs.emplace_back("indices");
  EXPECT_EQ(run_pass(kPass, other), 1);
}

TEST(CommonSubexpressions, SubgraphsAreNotCompared) {
  Graph body;
  body.opsets[""] = 17;
  const AttributeMap branches = {{"then_branch", std::make_shared<const Graph>(body)},
                                 {"else_branch", std::make_shared<const Graph>(body)}};
  EXPECT_EQ(rewrites(kPass, twice(branches, branches, "If")), 0);
}

// Quantized twice alike, read by two: one QuantizeLinear, as in ONNX Runtime.
TEST(CommonSubexpressions, QuantizationIsShared) {
  Graph graph = QdqBuilder(17)
                    .input("x", {4})
                    .pair("a", "x", kSigned)
                    .pair("b", "x", kSigned)
                    .node("Sub", "y", {"a", "b"})
                    .output("y")
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 2);
  EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "DequantizeLinear", "Sub"}));
}

}  // namespace
}  // namespace assay::test
