// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fuse_qdq_conv";
constexpr QuantParams kWeight = {.scale = 0.25F, .zero_point = 0, .dtype = DType::kInt8};
constexpr QuantParams kBias = {.scale = 0.125F, .zero_point = 0, .dtype = DType::kInt32};  // 0.5 * 0.25
constexpr QuantParams kOutput = {.scale = 2.0F, .zero_point = 7, .dtype = DType::kUint8};

// q -> x; Conv c (2 channels to 2, 1x1) of x, w and perhaps b
struct ConvOptions {
  QuantParams x = kUnsigned;
  QuantParams w = kWeight;
  std::optional<QuantParams> b;
};
QdqBuilder conv(const ConvOptions& options = {}) {
  QdqBuilder builder;
  builder.input("q", {1, 2, 3, 3}, options.x.dtype)
      .dequantize("x", "q", options.x)
      .weight("w", {2, 2, 1, 1}, {1, 2, 3, 4}, options.w);
  std::vector<std::string> inputs = {"x", "w"};
  if (options.b.has_value()) {
    builder.weight("b", {2}, {100, -100}, *options.b);
    inputs.push_back("b");
  }
  return builder.node("Conv", "c", inputs, {{"strides", std::vector<Index>{2, 2}}});
}
QdqBuilder quantized(QdqBuilder builder, const std::string& value = "c", const QuantParams& params = kOutput) {
  return builder.quantize("y", value, params).output("y", params.dtype);
}

TEST(FuseQdqConv, BecomesQLinearConv) {
  Graph graph = quantized(conv({.b = kBias})).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"QLinearConv"});
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.name, "c");
  EXPECT_EQ(node.origin, kPass);
  EXPECT_EQ(node.inputs, (std::vector<std::string>{"q", "x_scale", "x_zero_point", "w_q", "w_scale", "w_zero_point",
                                                   "y_scale", "y_zero_point", "b_q"}));
  EXPECT_EQ(node.outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(node.ints_attribute("strides"), (std::vector<Index>{2, 2}));
  EXPECT_FALSE(node.has_attribute("clamp_min"));
}

TEST(FuseQdqConv, TakesWeightsPerOutputChannel) {
  const auto weights = [](Index axis) {
    QdqBuilder builder;
    builder.input("q", {1, 2, 3, 3}, DType::kUint8)
        .dequantize("x", "q", kUnsigned)
        .channel_weight("w", integers(DType::kInt8, {2, 2, 1, 1}, {1, 2, 3, 4}), {0.5F, 0.25F}, axis)
        .channel_weight("b", integers(DType::kInt32, {2}, {5, 6}), {0.25F, 0.125F}, 0)
        .node("Conv", "c", {"x", "w", "b"});
    return quantized(builder).build();
  };
  Graph graph = weights(0);
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].input(4), "w_scale");
  Graph wrong_axis = weights(1);
  EXPECT_EQ(run_pass(kPass, wrong_axis), 0);
}

TEST(FuseQdqConv, MissingZeroPointsAreMade) {
  ConvOptions options;
  options.x = {.scale = 0.5F, .zero_point = 0, .dtype = DType::kUint8, .leave_out_zero_point = true};
  options.w.leave_out_zero_point = true;
  Graph graph =
      quantized(conv(options), "c", {.scale = 2, .zero_point = 0, .dtype = DType::kUint8, .leave_out_zero_point = true})
          .build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  const Node& node = graph.nodes[0];
  for (const auto& [input, dtype] :
       {std::pair{2U, DType::kUint8}, std::pair{5U, DType::kInt8}, std::pair{7U, DType::kUint8}}) {
    ASSERT_NE(graph.constant(node.input(input)), nullptr) << input;
    EXPECT_EQ(graph.constant(node.input(input))->dtype(), dtype);
    EXPECT_EQ(constant_values(graph, node.input(input)), std::vector<double>{0});
  }
}

TEST(FuseQdqConv, AClampThatTheRangeDoesNeedsNoAttribute) {
  constexpr QuantParams kFromZero = {.scale = 2.0F, .zero_point = 0, .dtype = DType::kUint8};
  Graph relu = quantized(conv().node("Relu", "r", {"c"}), "r", kFromZero).build();
  EXPECT_EQ(run_pass(kPass, relu), 1);
  EXPECT_EQ(op_types(relu), Types{"QLinearConv"});
  EXPECT_FALSE(relu.nodes[0].has_attribute("clamp_min"));
  // [0, 510] is the range itself: 255 steps of 2
  Graph clip = quantized(conv()
                             .constant("low", Tensor::scalar(0.0F))
                             .constant("high", Tensor::scalar(510.0F))
                             .node("Clip", "r", {"c", "low", "high"}),
                         "r", kFromZero)
                   .build();
  EXPECT_EQ(run_pass(kPass, clip), 1);
  EXPECT_EQ(op_types(clip), Types{"QLinearConv"});
}

TEST(FuseQdqConv, OtherClampsGoIntoTheRequantization) {
  Graph relu = quantized(conv({.b = kBias}).node("Relu", "r", {"c"}), "r").build();
  EXPECT_EQ(run_pass(kPass, relu), 1);
  ASSERT_EQ(op_types(relu), Types{"ai.assay.QLinearConv"});
  EXPECT_EQ(relu.nodes[0].name, "c");
  EXPECT_EQ(relu.nodes[0].int_attribute("clamp_min", -1), 7);
  EXPECT_EQ(relu.nodes[0].int_attribute("clamp_max", -1), 255);
  EXPECT_EQ(relu.opset(kAssayDomain), 1);
  // Clip to [-5, 11] by halves of 2, ties to even: -2.5 -> -2, 5.5 -> 6.
  Graph clip = quantized(conv()
                             .constant("low", Tensor::scalar(-5.0F))
                             .constant("high", Tensor::scalar(11.0F))
                             .node("Clip", "r", {"c", "low", "high"}),
                         "r")
                   .build();
  EXPECT_EQ(run_pass(kPass, clip), 1);
  EXPECT_EQ(clip.nodes[0].int_attribute("clamp_min", -1), 5);
  EXPECT_EQ(clip.nodes[0].int_attribute("clamp_max", -1), 13);
}

TEST(FuseQdqConv, HighWinsWhereLowIsAboveIt) {
  Graph clip = quantized(conv()
                             .constant("low", Tensor::scalar(20.0F))
                             .constant("high", Tensor::scalar(10.0F))
                             .node("Clip", "r", {"c", "low", "high"}),
                         "r")
                   .build();
  EXPECT_EQ(run_pass(kPass, clip), 1);
  EXPECT_EQ(clip.nodes[0].int_attribute("clamp_min", -1), 12);
  EXPECT_EQ(clip.nodes[0].int_attribute("clamp_max", -1), 12);
}

TEST(FuseQdqConv, AFloatBiasIsQuantized) {
  QdqBuilder builder;
  builder.input("q", {1, 2, 3, 3}, DType::kUint8)
      .dequantize("x", "q", kUnsigned)
      .weight("w", {2, 2, 1, 1}, {1, 2, 3, 4}, kWeight)
      .constant("b", Tensor::from<float>({2}, {1.0F, -0.30F}))
      .node("Conv", "c", {"x", "w", "b"});
  Graph graph = quantized(builder).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.constant(graph.nodes[0].input(8))->dtype(), DType::kInt32);
  EXPECT_EQ(constant_values(graph, graph.nodes[0].input(8)), (std::vector<double>{8, -2}));
  builder.constant("b", Tensor::from<float>({2}, {1e12F, 0}));  // 8e12 units: no int32
  Graph overflow = quantized(builder).build();
  EXPECT_EQ(run_pass(kPass, overflow), 0);
}

TEST(FuseQdqConv, AQuantizedBiasMustBeInUnitsOfTheAccumulator) {
  QuantParams bias = kBias;
  bias.scale = 0.125F * (1 + 3e-7F);  // rounded otherwise
  Graph close = quantized(conv({.b = bias})).build();
  EXPECT_EQ(run_pass(kPass, close), 1);
  bias.scale = 0.125F * (1 + 1e-4F);
  Graph other = quantized(conv({.b = bias})).build();
  EXPECT_EQ(run_pass(kPass, other), 0);
  bias = kBias;
  bias.zero_point = 1;
  Graph shifted = quantized(conv({.b = bias})).build();
  EXPECT_EQ(run_pass(kPass, shifted), 0);
}

TEST(FuseQdqConv, ValuesSeenElsewhereBlock) {
  Graph second = quantized(conv()).node("Relu", "r", {"c"}).output("r").build();
  EXPECT_EQ(run_pass(kPass, second), 0);
  Graph shown = quantized(conv()).output("c").build();
  EXPECT_EQ(run_pass(kPass, shown), 0);
  Graph clamp_shown = quantized(conv().node("Relu", "r", {"c"}), "r").output("r").build();
  EXPECT_EQ(run_pass(kPass, clamp_shown), 0);
  Graph two_quantizers = quantized(conv()).quantize("z", "c", kOutput).output("z", DType::kUint8).build();
  EXPECT_EQ(run_pass(kPass, two_quantizers), 0);
}

TEST(FuseQdqConv, UnusableParametersBlock) {
  for (const float scale : {0.0F, -0.5F, INFINITY, NAN}) {
    ConvOptions options;
    options.x.scale = scale;
    Graph input = quantized(conv(options)).build();
    EXPECT_EQ(run_pass(kPass, input), 0) << scale;
    options = {};
    options.w.scale = scale;
    Graph weight = quantized(conv(options)).build();
    EXPECT_EQ(run_pass(kPass, weight), 0) << scale;
    Graph output = quantized(conv(), "c", {.scale = scale, .zero_point = 7, .dtype = DType::kUint8}).build();
    EXPECT_EQ(run_pass(kPass, output), 0) << scale;
  }
  Graph computed = quantized(conv()).build();
  computed.initializers.erase("x_scale");
  computed.inputs.push_back({.name = "x_scale", .dtype = DType::kFloat32, .has_shape = true, .dims = {}});
  EXPECT_EQ(run_pass(kPass, computed), 0);
  Graph computed_bound = quantized(conv().node("Clip", "r", {"c", "", "high"}), "r").input("high", {}).build();
  EXPECT_EQ(run_pass(kPass, computed_bound), 0);
  Graph nan_bound =
      quantized(conv().constant("high", Tensor::scalar(NAN)).node("Clip", "r", {"c", "", "high"}), "r").build();
  EXPECT_EQ(run_pass(kPass, nan_bound), 0);
}

TEST(FuseQdqConv, FloatOutputsStayFloat) {
  Graph graph = conv().output("c").build();
  EXPECT_EQ(run_pass(kPass, graph), 0);
  Graph hard_swish = quantized(conv().node("HardSwish", "h", {"c"}), "h").build();
  EXPECT_EQ(run_pass(kPass, hard_swish), 0);
}

TEST(FuseQdqConv, SharedDequantizersServeTheOthersToo) {
  Graph graph = quantized(conv()).node("Sigmoid", "s", {"x"}).output("s").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(op_types(graph), (Types{"DequantizeLinear", "QLinearConv", "Sigmoid"}));
  EXPECT_EQ(node_named(graph, "s").inputs[0], "x");
}

TEST(FuseQdqConv, InputAndOutputTypesMayDiffer) {
  Graph graph = quantized(conv(), "c", kSigned).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  Graph wide = quantized(conv()).build();
  wide.initializers["y_zero_point"] = Tensor::scalar<std::int16_t>(0);
  EXPECT_EQ(run_pass(kPass, wide), 0);
}

}  // namespace
}  // namespace assay::test
