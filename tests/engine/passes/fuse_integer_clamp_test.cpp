// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fuse_integer_clamp";

// c: QLinearConv to int8
QdqBuilder conv(AttributeMap attributes = {}, const std::string& domain = "") {
  QdqBuilder builder(14);
  builder.input("x", {1, 1, 2, 2}, DType::kUint8)
      .constant("s", Tensor::scalar(0.5F))
      .constant("u8", Tensor::scalar<std::uint8_t>(128))
      .constant("s8", Tensor::scalar<std::int8_t>(0))
      .constant("w", Tensor::from<std::int8_t>({1, 1, 1, 1}, {3}))
      .constant("low", Tensor::scalar<std::int8_t>(-10))
      .constant("high", Tensor::scalar<std::int8_t>(20));
  return builder.node("QLinearConv", "c", {"x", "s", "u8", "w", "s", "s8", "s", "s8"}, std::move(attributes), domain);
}

TEST(FuseIntegerClamp, ClipGoesIntoTheRequantization) {
  Graph graph = conv().node("Clip", "y", {"c", "low", "high"}).output("y", DType::kInt8).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"ai.assay.QLinearConv"});
  EXPECT_EQ(graph.nodes[0].outputs[0], "y");
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_min", 0), -10);
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_max", 0), 20);
  EXPECT_EQ(graph.nodes[0].origin, kPass);
}

TEST(FuseIntegerClamp, ReluClampsTheIntegersAtZero) {
  Graph graph = conv().node("Relu", "y", {"c"}).output("y", DType::kInt8).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_min", -1), 0);
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_max", -1), 127);
}

TEST(FuseIntegerClamp, ClampsComeTogether) {
  Graph graph = conv({{"clamp_min", Index{-5}}, {"clamp_max", Index{100}}}, kAssayDomain)
                    .node("Clip", "k", {"c", "low", "high"})
                    .node("Relu", "y", {"k"})
                    .output("y", DType::kInt8)
                    .build();
  EXPECT_EQ(run_pass(kPass, graph), 2);
  ASSERT_EQ(op_types(graph), Types{"ai.assay.QLinearConv"});
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_min", -1), 0);
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_max", -1), 20);
}

TEST(FuseIntegerClamp, AClampThatDoesNothingVanishes) {
  Graph graph = conv().node("Clip", "y", {"c"}).output("y", DType::kInt8).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), Types{"QLinearConv"});
}

TEST(FuseIntegerClamp, WorksForMatricesToo) {
  Graph matmul = QdqBuilder(14)
                     .input("a", {1, 2}, DType::kUint8)
                     .input("b", {2, 1}, DType::kInt8)
                     .constant("s", Tensor::scalar(0.5F))
                     .constant("u8", Tensor::scalar<std::uint8_t>(9))
                     .constant("s8", Tensor::scalar<std::int8_t>(0))
                     .constant("low", Tensor::scalar<std::uint8_t>(9))
                     .node("QLinearMatMul", "m", {"a", "s", "u8", "b", "s", "s8", "s", "u8"})
                     .node("Clip", "y", {"m", "low"})
                     .output("y", DType::kUint8)
                     .build();
  EXPECT_EQ(run_pass(kPass, matmul), 1);
  EXPECT_EQ(op_types(matmul), Types{"ai.assay.QLinearMatMul"});
  Graph gemm = QdqBuilder(14)
                   .input("a", {1, 2}, DType::kUint8)
                   .input("b", {2, 1}, DType::kInt8)
                   .constant("s", Tensor::scalar(0.5F))
                   .constant("u8", Tensor::scalar<std::uint8_t>(9))
                   .constant("s8", Tensor::scalar<std::int8_t>(0))
                   .constant("low", Tensor::scalar<std::uint8_t>(9))
                   .node("QGemm", "m", {"a", "s", "u8", "b", "s", "s8", "", "s", "u8"}, {}, kMicrosoftDomain)
                   .node("Clip", "y", {"m", "low"})
                   .output("y", DType::kUint8)
                   .build();
  EXPECT_EQ(run_pass(kPass, gemm), 1);
  EXPECT_EQ(op_types(gemm), Types{"ai.assay.QGemm"});
  EXPECT_EQ(gemm.nodes[0].int_attribute("clamp_min", -1), 9);
}

TEST(FuseIntegerClamp, ValuesSeenElsewhereBlock) {
  Graph second = conv()
                     .node("Relu", "y", {"c"})
                     .node("Relu", "z", {"c"})
                     .output("y", DType::kInt8)
                     .output("z", DType::kInt8)
                     .build();
  EXPECT_EQ(run_pass(kPass, second), 0);
  Graph shown = conv().node("Relu", "y", {"c"}).output("y", DType::kInt8).output("c", DType::kInt8).build();
  EXPECT_EQ(run_pass(kPass, shown), 0);
}

TEST(FuseIntegerClamp, FloatGemmsAndComputedBoundsBlock) {
  Graph gemm = QdqBuilder(14)
                   .input("a", {1, 2}, DType::kUint8)
                   .input("b", {2, 1}, DType::kInt8)
                   .constant("s", Tensor::scalar(0.5F))
                   .constant("u8", Tensor::scalar<std::uint8_t>(9))
                   .constant("s8", Tensor::scalar<std::int8_t>(0))
                   .node("QGemm", "m", {"a", "s", "u8", "b", "s", "s8"}, {}, kMicrosoftDomain)
                   .node("Relu", "y", {"m"})
                   .output("y")
                   .build();
  EXPECT_EQ(run_pass(kPass, gemm), 0);
  Graph computed =
      conv().input("h", {}, DType::kInt8).node("Clip", "y", {"c", "low", "h"}).output("y", DType::kInt8).build();
  EXPECT_EQ(run_pass(kPass, computed), 0);
}

}  // namespace
}  // namespace assay::test
