// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fuse_qdq_where";
constexpr QuantParams kOther = {.scale = 0.25F, .zero_point = 3};
constexpr QuantParams kOut = {.scale = 0.5F, .zero_point = 100};

QdqBuilder where(const std::string& left, const std::string& right) {
  QdqBuilder builder(16);
  builder.input("c", {4}, DType::kBool)
      .input("qa", {4}, DType::kUint8)
      .input("qb", {4}, DType::kUint8)
      .input("qs", {4}, DType::kInt8);
  builder.dequantize("a", "qa", kUnsigned).dequantize("b", "qb", kOther).dequantize("s", "qs", kSigned);
  builder.filled("three", {1}, 3).filled("row", {4}, 3).filled("nan", {}, std::numeric_limits<float>::quiet_NaN());
  return std::move(builder.node("Where", "w", {"c", left, right}));
}
QdqBuilder quantized(QdqBuilder builder, const std::string& value = "w") {
  return std::move(builder.quantize("y", value, kOut).output("y", DType::kUint8));
}

TEST(FuseQdqWhere, BecomesQLinearWhere) {
  Graph graph = quantized(where("a", "b")).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"com.microsoft.QLinearWhere"});
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<std::string>{"c", "qa", "a_scale", "a_zero_point", "qb", "b_scale",
                                                             "b_zero_point", "y_scale", "y_zero_point"}));
  EXPECT_EQ(graph.nodes[0].origin, kPass);
}

TEST(FuseQdqWhere, AConstantOfOneElementIsQuantized) {
  Graph graph = quantized(where("three", "b")).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(constant_values(graph, node.inputs[1]), std::vector<double>{106});
  EXPECT_EQ(graph.constant(node.inputs[1])->shape(), Shape{1});
  EXPECT_EQ(node.inputs[2], "y_scale");
  EXPECT_EQ(node.inputs[4], "qb");
  EXPECT_EQ(rewrites(kPass, quantized(where("a", "three"))), 1);
}

TEST(FuseQdqWhere, AClampFollowsOnTheIntegers) {
  Graph graph = quantized(where("a", "b").node("Relu", "r", {"w"}), "r").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"com.microsoft.QLinearWhere", "Clip"}));
}

TEST(FuseQdqWhere, OtherBranchesStay) {
  EXPECT_EQ(rewrites(kPass, quantized(where("a", "s"))), 0);  // int8
  EXPECT_EQ(rewrites(kPass, quantized(where("a", "row"))), 0);
  EXPECT_EQ(rewrites(kPass, quantized(where("nan", "b"))), 0);
  EXPECT_EQ(rewrites(kPass, quantized(where("three", "three"))), 0);
  EXPECT_EQ(rewrites(kPass, where("a", "b").output("w")), 0);
  EXPECT_EQ(rewrites(kPass, quantized(where("a", "b")).output("w")), 0);
  EXPECT_EQ(rewrites(kPass, quantized(where("a", "f").input("f", {4}))), 0);
}

}  // namespace
}  // namespace assay::test
