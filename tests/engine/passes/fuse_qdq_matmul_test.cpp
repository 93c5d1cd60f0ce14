// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fuse_qdq_matmul";

QdqBuilder activations() {
  QdqBuilder builder;
  builder.input("qa", {2, 3}, DType::kUint8).dequantize("a", "qa", kUnsigned);
  return builder;
}
Graph finish(QdqBuilder builder, const std::string& value = "m") {
  return builder.quantize("y", value, kUnsigned).output("y", DType::kUint8).build();
}

TEST(FuseQdqMatmul, BecomesQLinearMatMul) {
  Graph graph = finish(activations().weight("b", {3, 2}, {1, 2, 3, 4, 5, 6}, kSigned).node("MatMul", "m", {"a", "b"}));
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"QLinearMatMul"});
  EXPECT_EQ(graph.nodes[0].name, "m");
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<std::string>{"qa", "a_scale", "a_zero_point", "b_q", "b_scale",
                                                             "b_zero_point", "y_scale", "y_zero_point"}));
}

TEST(FuseQdqMatmul, TakesTwoActivations) {
  Graph graph = finish(
      activations().input("qb", {3, 2}, DType::kInt8).dequantize("b", "qb", kSigned).node("MatMul", "m", {"a", "b"}));
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].inputs[3], "qb");
}

TEST(FuseQdqMatmul, ClampsInTheRequantization) {
  Graph graph = finish(activations()
                           .weight("b", {3, 2}, {1, 2, 3, 4, 5, 6}, kSigned)
                           .node("MatMul", "m", {"a", "b"})
                           .node("Relu", "r", {"m"}),
                       "r");
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"ai.assay.QLinearMatMul"});
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_min", -1), 128);
}

TEST(FuseQdqMatmul, ScalesPerColumnOfAMatrixOnly) {
  const auto with_axis = [](const Shape& shape, Index axis) {
    const auto size = static_cast<std::size_t>(element_count(shape).value());
    return finish(
        activations()
            .channel_weight("b", integers(DType::kInt8, shape, std::vector<Index>(size, 1)), {0.5F, 0.25F}, axis)
            .node("MatMul", "m", {"a", "b"}));
  };
  for (const Index axis : {1, -1}) {
    Graph graph = with_axis({3, 2}, axis);
    EXPECT_EQ(run_pass(kPass, graph), 1) << axis;
  }
  Graph rows = with_axis({2, 2}, 0);
  EXPECT_EQ(run_pass(kPass, rows), 0);
  Graph stack = with_axis({4, 3, 2}, 2);
  EXPECT_EQ(run_pass(kPass, stack), 0);
}

QdqBuilder product() {
  return activations().weight("b", {3, 2}, {1, 2, 3, 4, 5, 6}, kSigned).node("MatMul", "m", {"a", "b"});
}

TEST(FuseQdqMatmul, WithoutQuantizeLinearTheOutputIsFloat) {
  Graph graph = product().output("m").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"com.microsoft.MatMulIntegerToFloat"});
  EXPECT_EQ(graph.nodes[0].inputs,
            (std::vector<std::string>{"qa", "b_q", "a_scale", "b_scale", "a_zero_point", "b_zero_point"}));
  EXPECT_EQ(graph.nodes[0].outputs, std::vector<std::string>{"m"});
  Graph two_readers = product().node("Relu", "r", {"m"}).node("Neg", "n", {"m"}).output("r").output("n").build();
  EXPECT_EQ(run_pass(kPass, two_readers), 1);
}

// A QuantizeLinear that cannot be part of the group keeps the product in float, as in ONNX Runtime.
TEST(FuseQdqMatmul, AQuantizeLinearThatDoesNotFitKeepsItFloat) {
  EXPECT_EQ(rewrites(kPass, product().quantize("y", "m", kUnsigned).output("y", DType::kUint8).output("m")), 0);
  const QuantParams no_scale = {.scale = 0, .zero_point = 0};
  EXPECT_EQ(rewrites(kPass, product().quantize("y", "m", no_scale).output("y", DType::kUint8)), 0);
}

TEST(FuseQdqMatmul, FloatWeightsStay) {
  Graph weights =
      finish(activations().constant("b", Tensor::from<float>({3, 1}, {1, 2, 3})).node("MatMul", "m", {"a", "b"}));
  EXPECT_EQ(run_pass(kPass, weights), 0);
}

}  // namespace
}  // namespace assay::test
