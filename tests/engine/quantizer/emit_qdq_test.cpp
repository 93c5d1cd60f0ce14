// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "engine/quantizer/emit.h"
#include "engine/quantizer/quantize_graph.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::count_op;
using test::floats;
using test::GraphBuilder;
using test::only_node;
using testing::ElementsAre;

QuantizedGraph qdq(const Graph& graph, const RangeTable& ranges, const Options& options = {}) {
  return quantize_graph(graph, ranges, options).value();
}

// x -> Conv conv (2 output channels, bias b) -> Relu relu
GraphBuilder conv_relu() {
  return std::move(GraphBuilder()
                       .input("x", {1, 1, 2, 2})
                       .constant("w", floats({2, 1, 1, 1}, {1, -4}))
                       .constant("b", floats({2}, {0.5, -1}))
                       .node("Conv", "conv", {"x", "w", "b"})
                       .node("Relu", "relu", {"conv"}));
}
RangeTable conv_ranges() { return test::ranges({{"x", {-1, 1}}, {"conv", {-5, 5}}, {"relu", {0, 5}}}); }

TEST(EmitQdq, FoldedRelu) {
  const Graph graph = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges()).graph;
  EXPECT_THAT(test::op_types(graph),
              testing::UnorderedElementsAre("QuantizeLinear", "DequantizeLinear", "DequantizeLinear",
                                            "DequantizeLinear", "Conv", "QuantizeLinear", "DequantizeLinear"));
  const Node conv = only_node(graph, "Conv");
  EXPECT_EQ(conv.name, "conv");
  const Node& weight = *test::producer_of(graph, conv.inputs[1]);
  EXPECT_THAT(test::constant_values(graph, weight.inputs[0]), ElementsAre(32, -127));
  EXPECT_EQ(graph.constant(weight.inputs[0])->dtype(), DType::kInt8);
  EXPECT_FALSE(weight.has_attribute("axis"));
  const Node& bias = *test::producer_of(graph, conv.inputs[2]);
  EXPECT_EQ(graph.constant(bias.inputs[0])->dtype(), DType::kInt32);
  EXPECT_EQ(graph.constant(bias.inputs[2])->dtype(), DType::kInt32);
  const float x_scale = graph.constant("x_scale")->data<float>()[0];
  const float w_scale = graph.constant("w_scale")->data<float>()[0];
  EXPECT_EQ(graph.constant(bias.inputs[1])->data<float>()[0], x_scale * w_scale);
  // The float originals are gone, the ends of the graph are as they were.
  EXPECT_FALSE(graph.initializers.contains("w"));
  EXPECT_EQ(graph.outputs[0].name, "relu");
  EXPECT_EQ(test::producer_of(graph, "relu")->op_type, "DequantizeLinear");
}

TEST(EmitQdq, PerChannelWeightsAndBiasNameTheirAxis) {
  Options options;
  options.per_channel = true;
  const QuantizedGraph result = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options);
  const Node conv = only_node(result.graph, "Conv");
  const Node& weight = *test::producer_of(result.graph, conv.inputs[1]);
  EXPECT_EQ(weight.int_attribute("axis", -7), 0);
  EXPECT_THAT(test::constant_values(result.graph, weight.inputs[0]), ElementsAre(127, -127));
  EXPECT_EQ(result.graph.constant(weight.inputs[1])->shape(), (Shape{2}));
  EXPECT_EQ(result.graph.constant(weight.inputs[2])->shape(), (Shape{2}));
  const Node& bias = *test::producer_of(result.graph, conv.inputs[2]);
  EXPECT_EQ(bias.int_attribute("axis", -7), 0);
  EXPECT_EQ(result.graph.constant(bias.inputs[1])->shape(), (Shape{2}));
  const auto weights = std::find_if(result.tensors.begin(), result.tensors.end(),
                                    [](const TensorReport& report) { return report.tensor == "w"; });
  ASSERT_NE(weights, result.tensors.end());
  EXPECT_EQ(weights->axis, 0);
  EXPECT_EQ(weights->scales.size(), 2U);
  EXPECT_EQ(weights->min, -4);
}

TEST(EmitQdq, AKeptClampHasNoQuantizationInFront) {
  Options options;
  options.activation_symmetric = true;
  const Graph graph = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options).graph;
  const Node relu = only_node(graph, "Relu");
  EXPECT_EQ(test::producer_of(graph, relu.inputs[0])->op_type, "Conv");
  const GraphIndex index(graph);
  ASSERT_EQ(index.consumer_count(relu.outputs[0]), 1U);
  EXPECT_EQ(graph.nodes[static_cast<std::size_t>(index.consumers(relu.outputs[0])[0])].op_type, "QuantizeLinear");
}

TEST(EmitQdq, KeepQuantizesBothSidesOfTheRelu) {
  Options options;
  options.relu = ReluPolicy::kKeep;
  const Graph graph = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options).graph;
  const Node relu = only_node(graph, "Relu");
  EXPECT_EQ(test::producer_of(graph, relu.inputs[0])->op_type, "DequantizeLinear");
  EXPECT_EQ(count_op(graph, "QuantizeLinear"), 3);
}

TEST(EmitQdq, MaxPoolBehindReluStaysQuantized) {
  for (const ReluPolicy policy : {ReluPolicy::kSafe, ReluPolicy::kDrop, ReluPolicy::kKeep}) {
    for (const bool symmetric : {false, true}) {
      Options options;
      options.relu = policy;
      options.activation_symmetric = symmetric;
      const Graph graph = qdq(conv_relu()
                                  .node("MaxPool", "pool", {"relu"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
                                  .output("pool", {1, 2, 1, 1})
                                  .build(),
                              conv_ranges(), options)
                              .graph;
      const Node pool = only_node(graph, "MaxPool");
      const Node& front = *test::producer_of(graph, pool.inputs[0]);
      EXPECT_EQ(front.op_type, "DequantizeLinear");
      const Node& back = *test::producer_of(graph, "pool");
      EXPECT_EQ(back.op_type, "DequantizeLinear");
      EXPECT_EQ(front.inputs[1], back.inputs[1]);  // one scale and zero point for both sides
      EXPECT_EQ(front.inputs[2], back.inputs[2]);
    }
  }
}

// Defect L5 of the peer: a bias shared by two Convs needs two scales.
TEST(EmitQdq, ASharedBiasIsStoredPerScale) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 1, 2, 2})
                                .constant("w1", floats({1, 1, 1, 1}, {1}))
                                .constant("w2", floats({1, 1, 1, 1}, {8}))
                                .constant("b", floats({1}, {0.5}))
                                .node("Conv", "c1", {"x", "w1", "b"})
                                .node("Conv", "c2", {"x", "w2", "b"})
                                .output("c1", {1, 1, 2, 2})
                                .output("c2", {1, 1, 2, 2})
                                .build();
  for (const Format format : {Format::kQdq, Format::kQOperator}) {
    Options options;
    options.format = format;
    const Graph graph =
        qdq(float_graph, test::ranges({{"x", {0, 255}}, {"c1", {0, 255}}, {"c2", {0, 255}}}), options).graph;
    // x_scale is 1: bias scales 1/127 and 8/127.
    EXPECT_THAT(test::constant_values(graph, "b_quantized"), ElementsAre(64));
    EXPECT_THAT(test::constant_values(graph, "b_quantized_1"), ElementsAre(8));
  }
}

TEST(EmitQdq, ASharedWeightIsStoredOnce) {
  const Graph graph = qdq(GraphBuilder()
                              .input("x", {1, 2})
                              .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                              .node("MatMul", "m1", {"x", "w"})
                              .node("MatMul", "m2", {"m1", "w"})
                              .output("m2", {1, 2})
                              .build(),
                          test::ranges({{"x", {0, 1}}, {"m1", {0, 7}}, {"m2", {0, 50}}}))
                          .graph;
  EXPECT_TRUE(graph.initializers.contains("w_quantized"));
  EXPECT_FALSE(graph.initializers.contains("w_quantized_1"));
  EXPECT_EQ(count_op(graph, "DequantizeLinear"), 4);  // x, w, m1, m2
}

// Defect L7 of the peer: alpha and beta other than 1 go into the constants.
TEST(EmitQdq, GemmScalarsBecomePartOfTheConstants) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 2})
                                .constant("w", floats({2, 1}, {1, -2}))
                                .constant("b", floats({1}, {3}))
                                .node("Gemm", "gemm", {"x", "w", "b"}, {{"alpha", 0.5F}, {"beta", -2.0F}})
                                .output("gemm", {1, 1})
                                .build();
  const RangeTable ranges = test::ranges({{"x", {0, 255}}, {"gemm", {-300, 300}}});
  Options options;
  const Graph graph = qdq(float_graph, ranges, options).graph;
  const Node gemm = only_node(graph, "Gemm");
  EXPECT_FALSE(gemm.has_attribute("alpha"));
  EXPECT_FALSE(gemm.has_attribute("beta"));
  EXPECT_THAT(test::constant_values(graph, "w_scale"), ElementsAre(static_cast<double>(static_cast<float>(1.0 / 127))));
  EXPECT_THAT(test::constant_values(graph, "w_quantized"), ElementsAre(64, -127));  // 0.5 and -1
  EXPECT_THAT(test::constant_values(graph, "b_quantized"), ElementsAre(-762));      // -6 * 127
  options.format = Format::kQOperator;
  const Node integer = only_node(qdq(float_graph, ranges, options).graph, "QGemm");
  EXPECT_FALSE(integer.has_attribute("alpha"));
  EXPECT_FALSE(integer.has_attribute("beta"));
}

TEST(EmitQdq, FloatConsumersSeeWhatTheQuantizedModelComputes) {
  // 'conv' feeds an excluded Sigmoid and is a graph output: both see the quantized value; 'x' stays itself for a float
  // consumer.
  Options options;
  options.nodes_to_exclude = {"sig", "direct"};
  const Graph graph = qdq(GraphBuilder()
                              .input("x", {1, 1, 2, 2})
                              .constant("w", floats({1, 1, 1, 1}, {1}))
                              .node("Conv", "conv", {"x", "w"})
                              .node("Sigmoid", "sig", {"conv"})
                              .node("Sigmoid", "direct", {"x"})
                              .output("conv", {1, 1, 2, 2})
                              .output("sig", {1, 1, 2, 2})
                              .output("direct", {1, 1, 2, 2})
                              .build(),
                          test::ranges({{"x", {0, 1}}, {"conv", {0, 1}}}), options)
                          .graph;
  EXPECT_EQ(test::producer_of(graph, test::producer_of(graph, "sig")->inputs[0])->op_type, "DequantizeLinear");
  EXPECT_EQ(test::producer_of(graph, "direct")->inputs[0], "x");
  EXPECT_EQ(test::producer_of(graph, "conv")->op_type, "DequantizeLinear");
}

TEST(EmitQdq, ConstantsOfElementwiseNodesTakeTheActivationType) {
  Options options;
  options.activation_type = DType::kInt8;
  const Graph graph = qdq(GraphBuilder()
                              .input("x", {1, 2})
                              .constant("c", floats({2}, {0, 6}))
                              .node("Add", "sum", {"x", "c"})
                              .output("sum", {1, 2})
                              .build(),
                          test::ranges({{"x", {0, 1}}, {"sum", {0, 7}}}), options)
                          .graph;
  EXPECT_EQ(graph.constant("c_quantized")->dtype(), DType::kInt8);
  EXPECT_THAT(test::constant_values(graph, "c_quantized"), ElementsAre(-128, 127));
}

TEST(EmitQdq, MatMulOfTwoActivationsHasNoWeight) {
  const Graph graph = qdq(GraphBuilder()
                              .input("a", {2, 2})
                              .input("b", {2, 2})
                              .node("MatMul", "m", {"a", "b"})
                              .output("m", {2, 2})
                              .build(),
                          test::ranges({{"a", {0, 1}}, {"b", {-1, 1}}, {"m", {-2, 2}}}))
                          .graph;
  EXPECT_EQ(count_op(graph, "QuantizeLinear"), 3);
  EXPECT_EQ(graph.constant("b_zero_point")->dtype(), DType::kUint8);
}

TEST(EmitQdq, FixedWeightScaleWithALargeBiasWarns) {
  Options options;
  options.overrides["w"].scale = 1e-12;
  options.overrides["w"].zero_point = 0;
  options.overrides["conv"].scale = 1;  // inside a folded clamp
  options.overrides["conv"].zero_point = 0;
  const QuantizedGraph result = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options);
  EXPECT_THAT(
      result.warnings,
      ElementsAre("Conv 'conv': 2 of 2 values of bias 'b' do not fit into int32 with the weight scale that the "
                  "override of 'w' fixes, and are saturated",
                  "quantizer.overrides for 'conv' has no effect: the quantized model has no parameters for that "
                  "tensor"));
}

TEST(EmitQdq, ReportsEveryNode) {
  const QuantizedGraph result = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges());
  ASSERT_EQ(result.nodes.size(), 2U);
  EXPECT_TRUE(result.nodes[0].quantized);
  EXPECT_TRUE(result.nodes[1].quantized);
  EXPECT_EQ(result.nodes[1].node, "relu");
}

TEST(EmitQdq, WeightOnlyLeavesBiasAndActivationsFloat) {
  Options options;
  options.format = Format::kWeightOnly;
  const Graph graph = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), {}, options).graph;
  EXPECT_THAT(test::op_types(graph), ElementsAre("DequantizeLinear", "Conv", "Relu"));
  EXPECT_EQ(only_node(graph, "Conv").inputs[2], "b");
}

TEST(EmitQdq, WeightsMayStayFloatBehindAPair) {
  Options options;
  options.weight_qdq = true;
  const Graph graph = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options).graph;
  const Node& dequantize = *test::producer_of(graph, only_node(graph, "Conv").inputs[1]);
  const Node& quantize = *test::producer_of(graph, dequantize.inputs[0]);
  EXPECT_EQ(quantize.op_type, "QuantizeLinear");
  EXPECT_EQ(quantize.inputs[0], "w");
}

TEST(EmitQdq, DedicatedPairsPerConsumer) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 1, 2, 2})
                                .constant("w", floats({1, 1, 1, 1}, {1}))
                                .node("Conv", "c1", {"x", "w"})
                                .node("Conv", "c2", {"x", "w"})
                                .output("c1", {1, 1, 2, 2})
                                .output("c2", {1, 1, 2, 2})
                                .build();
  Options options;
  options.dedicated_qdq = true;
  const RangeTable ranges = test::ranges({{"x", {-1, 1}}, {"c1", {-1, 1}}, {"c2", {-1, 1}}});
  const Graph graph = qdq(float_graph, ranges, options).graph;
  EXPECT_EQ(GraphIndex(graph).consumer_count("x"), 2U);
}

TEST(EmitQdq, ContribOperatorsHaveTheirDomain) {
  Options options;
  options.contrib_qdq = true;
  options.activation_type = DType::kUint16;
  const Graph graph = qdq(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options).graph;
  EXPECT_EQ(graph.opset(), 13);
  EXPECT_EQ(test::producer_of(graph, "relu")->domain, kMicrosoftDomain);
}

// QuantizeLinear takes data and scale of one type.
TEST(EmitQdq, AScaledHalfWeightStaysHalf) {
  Tensor weight = Tensor::allocate(DType::kFloat16, {1, 2}).value();
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint16_t bits = float_to_float16(static_cast<float>(i) + 1);
    std::memcpy(weight.mutable_bytes() + 2 * i, &bits, 2);
  }
  Options options;
  options.weight_qdq = true;
  const Graph graph = quantize_graph(GraphBuilder()
                                         .input("x", {1, 1}, DType::kFloat16)
                                         .constant("w", weight)
                                         .node("Gemm", "y", {"x", "w"}, {{"alpha", 0.5F}})
                                         .output("y", {1, 2}, DType::kFloat16)
                                         .build(),
                                     test::ranges({{"x", {-1, 1}}, {"y", {-2, 2}}}), options)
                          .value()
                          .graph;
  ASSERT_NE(graph.constant("w_scaled"), nullptr);
  EXPECT_EQ(graph.constant("w_scaled")->dtype(), DType::kFloat16);
  EXPECT_THAT(test::constant_values(graph, "w_scaled"), ElementsAre(0.5, 1));
}

}  // namespace
}  // namespace assay::quantizer
