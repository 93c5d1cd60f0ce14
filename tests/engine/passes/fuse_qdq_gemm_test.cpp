// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fuse_qdq_gemm";
constexpr QuantParams kBias = {.scale = 0.125F, .zero_point = 0, .dtype = DType::kInt32};  // 0.5 * 0.25

QdqBuilder gemm(AttributeMap attributes = {}, bool with_bias = true, const QuantParams& bias = kBias) {
  QdqBuilder builder;
  builder.input("qa", {2, 3}, DType::kUint8)
      .dequantize("a", "qa", kUnsigned)
      .weight("b", {3, 2}, {1, 2, 3, 4, 5, 6}, kSigned);
  std::vector<std::string> inputs = {"a", "b"};
  if (with_bias) {
    builder.weight("c", {2}, {10, 20}, bias);
    inputs.push_back("c");
  }
  return builder.node("Gemm", "g", inputs, std::move(attributes));
}
Graph quantized(QdqBuilder builder, const std::string& value = "g") {
  return builder.quantize("y", value, kUnsigned).output("y", DType::kUint8).build();
}

TEST(FuseQdqGemm, BecomesQGemm) {
  Graph graph = quantized(gemm({{"alpha", 1.0F}, {"beta", 1.0F}, {"transB", Index{0}}}));
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"com.microsoft.QGemm"});
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.name, "g");
  EXPECT_EQ(node.inputs, (std::vector<std::string>{"qa", "a_scale", "a_zero_point", "b_q", "b_scale", "b_zero_point",
                                                   "c_q", "y_scale", "y_zero_point"}));
  EXPECT_FALSE(node.has_attribute("beta"));
  EXPECT_TRUE(node.has_attribute("transB"));
  EXPECT_EQ(graph.opset(kMicrosoftDomain), 1);
}

TEST(FuseQdqGemm, WithoutBiasTheInputIsLeftOut) {
  Graph graph = quantized(gemm({{"alpha", 2.0F}}, false));
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].input(6), "");
  EXPECT_EQ(graph.nodes[0].input(7), "y_scale");
  EXPECT_EQ(graph.nodes[0].float_attribute("alpha", 0), 2.0F);
}

TEST(FuseQdqGemm, WithoutQuantizeLinearTheOutputIsFloat) {
  Graph graph = gemm().output("g").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"com.microsoft.QGemm"});
  EXPECT_EQ(graph.nodes[0].inputs.size(), 7U);
  EXPECT_EQ(graph.nodes[0].outputs, std::vector<std::string>{"g"});
}

// Rounding a float bias needs a quantized output to hide in; ONNX Runtime leaves it alone too.
TEST(FuseQdqGemm, AFloatBiasStaysWhereTheOutputIsFloat) {
  const auto with_bias = [] { return gemm({}, false).constant("f", Tensor::from<float>({2}, {1, 2})); };
  Graph floats = with_bias().output("g").build();
  floats.nodes.back().inputs.emplace_back("f");
  Graph integers = quantized(with_bias());
  node_at(integers, "g").inputs.emplace_back("f");
  EXPECT_EQ(run_pass(kPass, floats), 0);
  EXPECT_EQ(run_pass(kPass, integers), 1);
}

TEST(FuseQdqGemm, ClampsInTheRequantization) {
  Graph graph = quantized(gemm().node("Relu", "r", {"g"}), "r");
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"ai.assay.QGemm"});
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_min", -1), 128);
  EXPECT_EQ(graph.nodes[0].int_attribute("clamp_max", -1), 255);
}

TEST(FuseQdqGemm, AlphaAndBetaMustBeOneWithABias) {
  Graph alpha = quantized(gemm({{"alpha", 2.0F}}));
  EXPECT_EQ(run_pass(kPass, alpha), 0);
  Graph beta = quantized(gemm({{"beta", 0.5F}}));
  EXPECT_EQ(run_pass(kPass, beta), 0);
  Graph negative = quantized(gemm({{"alpha", -1.0F}}, false));
  EXPECT_EQ(run_pass(kPass, negative), 0);
}

TEST(FuseQdqGemm, TheBiasMustBeInUnitsOfTheAccumulator) {
  QuantParams bias = kBias;
  bias.scale = 0.25F;
  Graph scale = quantized(gemm({}, true, bias));
  EXPECT_EQ(run_pass(kPass, scale), 0);
  bias = kBias;
  bias.zero_point = 3;
  Graph shifted = quantized(gemm({}, true, bias));
  EXPECT_EQ(run_pass(kPass, shifted), 0);
}

TEST(FuseQdqGemm, ScalesPerColumnFollowTheTransposition) {
  const auto with = [](Index axis, Index trans_b) {
    QdqBuilder builder;
    builder.input("qa", {2, 2}, DType::kUint8)
        .dequantize("a", "qa", kUnsigned)
        .channel_weight("b", integers(DType::kInt8, {2, 2}, {1, 2, 3, 4}), {0.5F, 0.25F}, axis)
        .node("Gemm", "g", {"a", "b"}, {{"transB", trans_b}});
    Graph graph = quantized(builder);
    return run_pass(kPass, graph);
  };
  EXPECT_EQ(with(1, 0), 1);
  EXPECT_EQ(with(0, 1), 1);
  EXPECT_EQ(with(0, 0), 0);
  EXPECT_EQ(with(1, 1), 0);
}

}  // namespace
}  // namespace assay::test
