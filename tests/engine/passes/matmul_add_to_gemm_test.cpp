// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "matmul_add_to_gemm";

// a [3,8] x b [8,4] + c
QdqBuilder product(const Shape& c, const Shape& a = {3, 8}, Index opset = 17) {
  QdqBuilder builder(opset);
  builder.input("a", a).filled("b", {8, 4}, 1).filled("c", c, 1).node("MatMul", "m", {"a", "b"});
  return std::move(builder.node("Add", "y", {"m", "c"}).output("y"));
}

TEST(MatMulAddToGemm, ARowBecomesC) {
  for (const Shape& shape : std::vector<Shape>{{4}, {1, 4}, {}, {1}}) {
    Graph graph = product(shape).build();
    EXPECT_EQ(run_pass(kPass, graph), 1) << shape_text(shape);
    ASSERT_EQ(op_types(graph), Types{"Gemm"});
    EXPECT_EQ(graph.nodes[0].inputs, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(graph.nodes[0].outputs[0], "y");
    EXPECT_EQ(graph.nodes[0].origin, kPass);
  }
}

TEST(MatMulAddToGemm, OnlyMatricesAndConstantRows) {
  EXPECT_EQ(rewrites(kPass, product({3, 1})), 0);          // a column
  EXPECT_EQ(rewrites(kPass, product({3, 4})), 0);          // a whole matrix
  EXPECT_EQ(rewrites(kPass, product({1, 1, 4})), 0);       // adds a dimension
  EXPECT_EQ(rewrites(kPass, product({4}, {2, 3, 8})), 0);  // a stack
  EXPECT_EQ(rewrites(kPass, product({4}, {8})), 0);        // a vector
  EXPECT_EQ(rewrites(kPass, product({4}, {3, 8}, 6)), 0);  // Gemm broadcasts otherwise
  EXPECT_EQ(rewrites(kPass, product({4}).output("m")), 0);
  EXPECT_EQ(rewrites(kPass, product({4}).node("Relu", "z", {"m"}).output("z")), 0);
  Graph computed = product({4}).input("bias", {4}).build();
  computed.nodes[1].inputs[1] = "bias";
  EXPECT_EQ(run_pass(kPass, computed), 0);
  Graph no_rank = product({4}).build();
  no_rank.inputs[0].has_shape = false;
  EXPECT_EQ(run_pass(kPass, no_rank), 0);
  Graph doubles = product({4}).build();
  doubles.inputs[0].dtype = DType::kFloat64;
  EXPECT_EQ(run_pass(kPass, doubles), 0);
}

}  // namespace
}  // namespace assay::test
