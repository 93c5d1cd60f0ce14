// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fold_integer_pad";
using Pads = std::vector<Index>;

QdqBuilder padded(Index value, const Pads& pads = {0, 0, 1, 2, 0, 0, 0, 3}, AttributeMap attributes = {}) {
  QdqBuilder builder(17);
  builder.input("x", {1, 4, 6, 6}, DType::kUint8).indices("pads", pads);
  builder.constant("value", integers(DType::kUint8, {}, {value})).node("Pad", "p", {"x", "pads", "value"});
  builder.constant("scale", Tensor::scalar(0.5F)).constant("zero", integers(DType::kUint8, {}, {7}));
  builder.constant("w", integers(DType::kInt8, {2, 4, 1, 1}, Pads(8, 1)));
  builder.constant("w_zero", integers(DType::kInt8, {}, {0}));
  builder.node("QLinearConv", "y", {"p", "scale", "zero", "w", "scale", "w_zero", "scale", "zero"},
               std::move(attributes));
  return std::move(builder.output("y", DType::kUint8));
}

TEST(FoldIntegerPad, TheZeroPointBecomesPadding) {
  Graph graph = padded(7, {0, 0, 1, 2, 0, 0, 0, 3}, {{"pads", Pads{1, 0, 0, 1}}}).build();
  ASSERT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.nodes[0].inputs[0], "x");
  EXPECT_EQ(graph.nodes[0].ints_attribute("pads"), (Pads{2, 2, 0, 4}));
  EXPECT_EQ(graph.nodes[0].origin, kPass);
  EXPECT_EQ(rewrites(kPass, padded(7)), 1);
}

TEST(FoldIntegerPad, NothingElse) {
  EXPECT_EQ(rewrites(kPass, padded(8)), 0);
  EXPECT_EQ(rewrites(kPass, padded(7, {0, 1, 0, 0, 0, 0, 0, 0})), 0);
  EXPECT_EQ(rewrites(kPass, padded(7, {0, 0, -1, 0, 0, 0, 0, 0})), 0);
  EXPECT_EQ(rewrites(kPass, padded(7, {0, 0, 1, 0, 0, 0, 0, 0}, {{"auto_pad", std::string("SAME_UPPER")}})), 0);
  EXPECT_EQ(rewrites(kPass, padded(7).output("p", DType::kUint8)), 0);
  Graph edge = padded(7).build();
  edge.nodes[0].attributes["mode"] = std::string("edge");
  EXPECT_EQ(run_pass(kPass, edge), 0);
  Graph absent = padded(7).build();
  absent.nodes[0].inputs.pop_back();  // pads with the integer 0
  EXPECT_EQ(run_pass(kPass, absent), 0);
}

}  // namespace
}  // namespace assay::test
