// SPDX-License-Identifier: Apache-2.0
// fuse_matmul_integer_to_float and fuse_dynamic_quantize_matmul.
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kToFloat = "fuse_matmul_integer_to_float";
constexpr const char* kDynamic = "fuse_dynamic_quantize_matmul";
constexpr Index kFloat = 1, kDouble = 11;

struct Pattern {
  std::string scale = "b_scale";  // of B
  std::string bias;               // none
  Index type = kFloat;
};

// x [3,2] -> DynamicQuantizeLinear -> MatMulInteger by b [2,4] -> Cast -> Mul [-> Add] -> y
Graph dynamic(const Pattern& pattern = {}) {
  QdqBuilder builder(17);
  builder.input("x", {3, 2}).input("given", {4}).input("z", {3, 2});
  builder.constant("b", integers(DType::kInt8, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).filled("b_scale", {}, 0.5F);
  builder.filled("columns", {4}, 0.5F).filled("rows", {3, 1}, 0.5F).filled("row", {4}, 1).filled("column", {3, 1}, 1);
  builder.constant("b_zero", integers(DType::kInt8, {}, {1})).filled("one", {1}, 1);
  builder.node("DynamicQuantizeLinear", "q", {"x"}).node("MatMulInteger", "sums", {"q", "b", "q_zero", "b_zero"});
  builder.node("Cast", "floats", {"sums"}, {{"to", pattern.type}}).node("Mul", "scale", {"q_scale", pattern.scale});
  builder.node("Mul", pattern.bias.empty() ? "y" : "scaled", {"floats", "scale"});
  if (!pattern.bias.empty()) {
    builder.node("Add", "y", {pattern.bias, "scaled"});
  }
  Graph graph = builder.output("y").build();
  graph.nodes[0].outputs = {"q", "q_scale", "q_zero"};
  return graph;
}

TEST(FuseMatMulIntegerToFloat, TakesProductScaleAndBias) {
  Graph plain = dynamic();
  EXPECT_EQ(run_pass(kToFloat, plain), 1);
  ASSERT_EQ(op_types(plain), (Types{"DynamicQuantizeLinear", "com.microsoft.MatMulIntegerToFloat"}));
  EXPECT_EQ(plain.nodes[1].inputs, (std::vector<std::string>{"q", "b", "q_scale", "b_scale", "q_zero", "b_zero"}));
  Graph biased = dynamic({.scale = "columns", .bias = "row"});
  EXPECT_EQ(run_pass(kToFloat, biased), 1);
  EXPECT_EQ(biased.nodes[1].inputs,
            (std::vector<std::string>{"q", "b", "q_scale", "columns", "q_zero", "b_zero", "row"}));
  EXPECT_EQ(biased.nodes[1].outputs[0], "y");
  EXPECT_EQ(biased.nodes[1].origin, kToFloat);
}

TEST(FuseMatMulIntegerToFloat, LeavesABiasThatIsNoRow) {
  for (const char* bias : {"column", "one"}) {
    Graph graph = dynamic({.bias = bias});
    EXPECT_EQ(run_pass(kToFloat, graph), 1);
    EXPECT_EQ(op_types(graph).back(), "Add") << bias;
  }
}

TEST(FuseMatMulIntegerToFloat, NeedsOneScaleOrOnePerColumn) {
  Graph rows = dynamic({.scale = "rows"});
  EXPECT_EQ(run_pass(kToFloat, rows), 0);
  Graph doubles = dynamic({.type = kDouble});
  EXPECT_EQ(run_pass(kToFloat, doubles), 0);
  Graph no_product = dynamic();
  no_product.nodes[3].op_type = "Add";
  EXPECT_EQ(run_pass(kToFloat, no_product), 0);
  Graph computed = dynamic();
  computed.nodes[1].inputs[1] = "w";
  computed.inputs.push_back(open_input("w", {2, 4}, DType::kInt8));
  EXPECT_EQ(run_pass(kToFloat, computed), 0);
  Graph per_row_zero_points = dynamic();
  per_row_zero_points.nodes[1].inputs[2] = "zeros";
  per_row_zero_points.inputs.push_back(open_input("zeros", {3}, DType::kUint8));
  EXPECT_EQ(run_pass(kToFloat, per_row_zero_points), 0);
}

TEST(FuseMatMulIntegerToFloat, ValuesBetweenHaveOneReader) {
  for (const char* value : {"sums", "floats"}) {
    Graph graph = dynamic();
    graph.outputs.push_back({.name = value, .dtype = DType::kUndefined, .has_shape = false, .dims = {}});
    EXPECT_EQ(run_pass(kToFloat, graph), 0) << value;
  }
  Graph shown = dynamic({.bias = "row"});
  shown.outputs.push_back({.name = "scaled", .dtype = DType::kUndefined, .has_shape = false, .dims = {}});
  EXPECT_EQ(run_pass(kToFloat, shown), 1);
  EXPECT_EQ(op_types(shown).back(), "Add");
}

Graph to_float(const Pattern& pattern = {}) {
  Graph graph = dynamic(pattern);
  EXPECT_EQ(run_pass(kToFloat, graph), 1);
  return graph;
}

TEST(FuseDynamicQuantizeMatMul, TakesTheQuantizationIn) {
  Graph graph = to_float();
  EXPECT_EQ(run_pass(kDynamic, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"com.microsoft.DynamicQuantizeMatMul"});
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<std::string>{"x", "b", "b_scale", "b_zero"}));
  Graph biased = to_float({.scale = "columns", .bias = "row"});
  EXPECT_EQ(run_pass(kDynamic, biased), 1);
  EXPECT_EQ(biased.nodes[0].inputs, (std::vector<std::string>{"x", "b", "columns", "b_zero", "row"}));
}

TEST(FuseDynamicQuantizeMatMul, NotForTwoReadersNorAnotherScale) {
  for (const char* value : {"q", "q_scale", "q_zero"}) {
    Graph shown = to_float();
    shown.outputs.push_back({.name = value, .dtype = DType::kUndefined, .has_shape = false, .dims = {}});
    EXPECT_EQ(run_pass(kDynamic, shown), 0) << value;
  }
  Graph other_scale = to_float();
  node_at(other_scale, "sums").inputs[2] = "b_scale";
  EXPECT_EQ(run_pass(kDynamic, other_scale), 0);
  Graph no_zero_point = to_float();
  node_at(no_zero_point, "sums").inputs[4] = "";
  EXPECT_EQ(run_pass(kDynamic, no_zero_point), 0);
  Graph computed_scale = to_float();
  computed_scale.initializers.erase("b_scale");
  computed_scale.inputs.push_back(open_input("b_scale", {}));
  EXPECT_EQ(run_pass(kDynamic, computed_scale), 0);
}

}  // namespace
}  // namespace assay::test
