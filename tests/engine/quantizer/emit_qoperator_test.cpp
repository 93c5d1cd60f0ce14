// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/quantizer/emit.h"
#include "engine/quantizer/quantize_graph.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;
using test::only_node;
using testing::ElementsAre;

Graph qoperator(const Graph& graph, const RangeTable& ranges, Options options = {}) {
  options.format = Format::kQOperator;
  return quantize_graph(graph, ranges, options).value().graph;
}

GraphBuilder conv_relu() {
  return std::move(GraphBuilder()
                       .input("x", {1, 1, 2, 2})
                       .constant("w", floats({2, 1, 1, 1}, {1, -4}))
                       .constant("b", floats({2}, {0.5, -1}))
                       .node("Conv", "conv", {"x", "w", "b"}, {{"group", Index{1}}})
                       .node("Relu", "relu", {"conv"}));
}
RangeTable conv_ranges() { return test::ranges({{"x", {-1, 1}}, {"conv", {-5, 5}}, {"relu", {0, 5}}}); }

TEST(EmitQOperator, FoldedReluIsOneNode) {
  const Graph graph = qoperator(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges());
  EXPECT_THAT(test::op_types(graph), ElementsAre("QuantizeLinear", "QLinearConv", "DequantizeLinear"));
  const Node conv = graph.nodes[1];
  EXPECT_THAT(conv.inputs, ElementsAre("x_quantized", "x_scale", "x_zero_point", "w_quantized", "w_scale",
                                       "w_zero_point", "relu_scale", "relu_zero_point", "b_quantized"));
  EXPECT_EQ(conv.int_attribute("group", 0), 1);
  EXPECT_EQ(conv.domain, "");
  EXPECT_EQ(graph.outputs[0].name, "relu");
}

TEST(EmitQOperator, AKeptReluIsAnIntegerClipWithItsOwnRange) {
  Options options;
  options.activation_symmetric = true;
  const Graph graph = qoperator(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options);
  EXPECT_THAT(test::op_types(graph), ElementsAre("QuantizeLinear", "QLinearConv", "Clip", "DequantizeLinear"));
  EXPECT_EQ(graph.nodes[1].inputs[6], "relu_scale");
  const Node clip = graph.nodes[2];
  ASSERT_EQ(clip.inputs.size(), 2U);
  EXPECT_EQ(graph.constant(clip.inputs[1])->dtype(), DType::kUint8);
  EXPECT_THAT(test::constant_values(graph, clip.inputs[1]), ElementsAre(128));
  EXPECT_EQ(graph.constant(clip.inputs[1])->rank(), 0U);
}

TEST(EmitQOperator, AKeptClipHasBothBounds) {
  Options options;
  options.activation_type = DType::kInt8;
  options.activation_symmetric = true;
  options.overrides["clip"].max = 12.7;
  const Graph graph = qoperator(GraphBuilder()
                                    .input("x", {1, 1, 2, 2})
                                    .constant("w", floats({1, 1, 1, 1}, {1}))
                                    .constant("lo", Tensor::scalar(-1.0F))
                                    .constant("hi", Tensor::scalar(6.0F))
                                    .node("Conv", "conv", {"x", "w"})
                                    .node("Clip", "clip", {"conv", "lo", "hi"})
                                    .output("clip", {1, 1, 2, 2})
                                    .build(),
                                test::ranges({{"x", {0, 1}}, {"conv", {-9, 9}}, {"clip", {-1, 6}}}), options);
  const Node clip = only_node(graph, "Clip");
  ASSERT_EQ(clip.inputs.size(), 3U);
  EXPECT_THAT(test::constant_values(graph, clip.inputs[1]), ElementsAre(-10));  // scale 25.4/255
  EXPECT_THAT(test::constant_values(graph, clip.inputs[2]), ElementsAre(60));
}

TEST(EmitQOperator, AReluWithASharedInputIsAnIntegerClipBehindIt) {
  const Graph graph = qoperator(conv_relu().node("Add", "sum", {"conv", "relu"}).output("sum", {1, 2, 2, 2}).build(),
                                test::ranges({{"x", {-1, 1}}, {"conv", {-5, 5}}, {"relu", {0, 5}}, {"sum", {-5, 10}}}));
  EXPECT_THAT(test::op_types(graph),
              ElementsAre("QuantizeLinear", "QLinearConv", "Clip", "QLinearAdd", "DequantizeLinear"));
  EXPECT_EQ(only_node(graph, "QLinearAdd").domain, kMicrosoftDomain);
  EXPECT_EQ(graph.opset(kMicrosoftDomain), 1);
  EXPECT_THAT(only_node(graph, "QLinearAdd").inputs,
              ElementsAre("conv_quantized", "conv_scale", "conv_zero_point", "relu_quantized", "conv_scale",
                          "conv_zero_point", "sum_scale", "sum_zero_point"));
}

TEST(EmitQOperator, KeepClampsIntegersOfTheReluRange) {
  Options options;
  options.relu = ReluPolicy::kKeep;
  const Graph graph = qoperator(conv_relu()
                                    .node("MaxPool", "pool", {"relu"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
                                    .output("pool", {1, 2, 1, 1})
                                    .build(),
                                conv_ranges(), options);
  EXPECT_THAT(test::op_types(graph),
              ElementsAre("QuantizeLinear", "QLinearConv", "Clip", "MaxPool", "DequantizeLinear"));
  EXPECT_EQ(only_node(graph, "MaxPool").inputs[0], "relu_quantized");
}

TEST(EmitQOperator, EveryOperatorHasItsInputs) {
  const Graph graph =
      qoperator(GraphBuilder()
                    .input("x", {1, 2, 4, 4})
                    .constant("c", floats({1}, {1}))
                    .constant("shape", Tensor::from<Index>({2}, {1, 8}))
                    .constant("w", floats({8, 8}, std::vector<float>(64, 1)))
                    .constant("pads", Tensor::from<Index>({8}, {0, 0, 0, 0, 0, 0, 1, 1}))
                    .node("Mul", "mul", {"x", "c"})
                    .node("LeakyRelu", "leaky", {"mul"}, {{"alpha", 0.25F}})
                    .node("Sigmoid", "sig", {"leaky"})
                    .node("Concat", "cat", {"leaky", "sig"}, {{"axis", Index{1}}})
                    .node("Pad", "pad", {"cat", "pads"})
                    .node("AveragePool", "avg", {"pad"},
                          {{"kernel_shape", std::vector<Index>{2, 2}}, {"dilations", std::vector<Index>{1, 1}}})
                    .node("GlobalAveragePool", "gap", {"avg"})
                    .node("Concat", "cat2", {"gap", "gap"}, {{"axis", Index{1}}})
                    .node("Reshape", "flat", {"cat2", "shape"})
                    .node("MatMul", "mm", {"flat", "w"})
                    .node("Gemm", "gemm", {"mm", "w"}, {{"transB", Index{1}}})
                    .node("Softmax", "soft", {"gemm"})
                    .output("soft", {1, 8})
                    .build(),
                test::ranges({{"x", {-1, 1}},
                              {"mul", {-1, 1}},
                              {"leaky", {-0.25, 1}},
                              {"sig", {0, 1}},
                              {"cat", {-0.25, 1}},
                              {"avg", {-0.25, 1}},
                              {"gap", {-0.25, 1}},
                              {"cat2", {-0.25, 1}},
                              {"mm", {-2, 8}},
                              {"gemm", {-16, 64}}}));
  EXPECT_THAT(test::op_types(graph),
              ElementsAre("QuantizeLinear", "QLinearMul", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearConcat", "Pad",
                          "QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearConcat", "Reshape", "QLinearMatMul",
                          "QGemm", "QLinearSoftmax", "DequantizeLinear"));
  EXPECT_THAT(only_node(graph, "QLinearMul").inputs,
              ElementsAre("x_quantized", "x_scale", "x_zero_point", "c_quantized", "c_scale", "c_zero_point",
                          "mul_scale", "mul_zero_point"));
  EXPECT_EQ(only_node(graph, "QLinearLeakyRelu").float_attribute("alpha", 0), 0.25F);
  EXPECT_THAT(only_node(graph, "QLinearSigmoid").inputs,
              ElementsAre("leaky_quantized", "leaky_scale", "leaky_zero_point", "sig_scale", "sig_zero_point"));
  EXPECT_THAT(graph.nodes[4].inputs, ElementsAre("cat_scale", "cat_zero_point", "leaky_quantized", "leaky_scale",
                                                 "leaky_zero_point", "sig_quantized", "sig_scale", "sig_zero_point"));
  EXPECT_THAT(only_node(graph, "Pad").inputs, ElementsAre("cat_quantized", "pads", "cat_zero_point"));
  EXPECT_FALSE(only_node(graph, "QLinearAveragePool").has_attribute("dilations"));
  EXPECT_THAT(only_node(graph, "Reshape").inputs, ElementsAre("cat2_quantized", "shape"));
  EXPECT_THAT(only_node(graph, "QGemm").inputs,
              ElementsAre("mm_quantized", "mm_scale", "mm_zero_point", "w_quantized", "w_scale", "w_zero_point", "",
                          "gemm_scale", "gemm_zero_point"));
  EXPECT_EQ(only_node(graph, "QLinearSoftmax").int_attribute("opset", 0), 13);
  EXPECT_EQ(only_node(graph, "QLinearSoftmax").int_attribute("axis", 0), -1);
}

TEST(EmitQOperator, MixedTypesAreComputedInFloat) {
  Options options;
  options.overrides["x"].type = DType::kInt8;
  const Graph graph = qoperator(
      GraphBuilder().input("x", {1, 2}).input("y", {1, 2}).node("Add", "sum", {"x", "y"}).output("sum", {1, 2}).build(),
      test::ranges({{"x", {0, 1}}, {"y", {0, 1}}, {"sum", {0, 2}}}), options);
  EXPECT_EQ(test::count_op(graph, "QLinearAdd"), 0);
  const Node add = only_node(graph, "Add");
  EXPECT_EQ(test::producer_of(graph, add.inputs[0])->op_type, "DequantizeLinear");
  EXPECT_EQ(test::producer_of(graph, add.inputs[1])->op_type, "DequantizeLinear");
}

TEST(EmitQOperator, HardSwishStaysFloat) {
  Options options;
  options.format = Format::kQOperator;
  const QuantizedGraph result =
      quantize_graph(GraphBuilder(14).input("x", {1, 2}).node("HardSwish", "h", {"x"}).output("h", {1, 2}).build(),
                     test::ranges({{"x", {0, 1}}}), options)
          .value();
  EXPECT_FALSE(result.nodes[0].quantized);
  EXPECT_EQ(result.nodes[0].reason, "the QOperator format has no integer form of HardSwish");
  EXPECT_THAT(test::op_types(result.graph), ElementsAre("HardSwish"));
}

TEST(EmitQOperator, DroppedReluWithOtherUsesServesThemAll) {
  Options options;
  options.relu = ReluPolicy::kDrop;
  const Graph graph =
      qoperator(conv_relu().output("relu", {1, 2, 2, 2}).output("conv", {1, 2, 2, 2}).build(), conv_ranges(), options);
  EXPECT_THAT(test::op_types(graph),
              ElementsAre("QuantizeLinear", "QLinearConv", "DequantizeLinear", "DequantizeLinear"));
  EXPECT_EQ(test::producer_of(graph, "conv")->inputs[0], "relu_quantized");
  EXPECT_EQ(test::producer_of(graph, "relu")->inputs[0], "relu_quantized");
}

// As an activation, since what multiplies int8 in front would have to be int8 itself.
TEST(EmitQOperator, AConstantFirstOperandOfMatMulHasTheTypeOfActivations) {
  const Graph graph = qoperator(GraphBuilder()
                                    .input("x", {2, 2})
                                    .constant("w", floats({2, 2}, {-1, 2, 3, 4.1F}))
                                    .node("MatMul", "y", {"w", "x"})
                                    .output("y", {2, 2})
                                    .build(),
                                test::ranges({{"x", {-1, 1}}, {"y", {-7, 7}}}));
  EXPECT_THAT(test::op_types(graph), ElementsAre("QuantizeLinear", "QLinearMatMul", "DequantizeLinear"));
  EXPECT_EQ(graph.constant("w_quantized")->dtype(), DType::kUint8);
  EXPECT_THAT(test::constant_values(graph, "w_quantized"), ElementsAre(0, 150, 200, 255));
}

// Whatever operators are excluded, what becomes of clamps, and who else uses their inputs.
TEST(EmitQOperator, ExcludedOutputsStayFloat) {
  for (const Format format : {Format::kQdq, Format::kQOperator}) {
    for (const ReluPolicy relu : {ReluPolicy::kSafe, ReluPolicy::kDrop, ReluPolicy::kKeep}) {
      for (const char* excluded : {"Conv", "Relu", "Add", "MaxPool"}) {
        Options options;
        options.format = format;
        options.relu = relu;
        options.exclude_output_op_types = {excluded};
        for (const bool shared : {false, true}) {
          GraphBuilder builder =
              conv_relu().node("MaxPool", "pool", {"relu"}, {{"kernel_shape", std::vector<Index>{1, 1}}});
          builder.node("Add", "sum", {"pool", shared ? "conv" : "pool"}).output("sum", {1, 2, 2, 2});
          const auto made = quantize_graph(
              builder.build(),
              test::ranges({{"x", {-1, 1}}, {"conv", {-5, 5}}, {"relu", {0, 5}}, {"pool", {0, 5}}, {"sum", {-5, 10}}}),
              options);
          ASSERT_TRUE(made.ok()) << excluded << made.error().message;
          for (const Node& node : made.value().graph.nodes) {
            const bool integer = node.op_type == std::string("QLinear") + excluded;
            EXPECT_FALSE(integer) << excluded;
          }
        }
      }
    }
  }
}

TEST(EmitQOperator, RefusesProductsOfTypesThatNoRuntimeHas) {
  const auto with = [](const std::string& tensor, DType type) {
    Options options;
    options.format = Format::kQOperator;
    options.overrides[tensor].type = type;
    const auto made = quantize_graph(conv_relu().output("relu", {1, 2, 2, 2}).build(), conv_ranges(), options);
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_THAT(with("x", DType::kInt8),
              testing::HasSubstr("Conv node 'conv' (opset 13): quantizer.format=qoperator has no form with int8 'x', "
                                 "int8 'w' and uint8 'relu', as quantizer.overrides wants it"));
  EXPECT_THAT(with("relu", DType::kInt8), testing::HasSubstr("has no form with uint8 'x'"));
  EXPECT_EQ(with("w", DType::kUint8), "");
}

}  // namespace
}  // namespace assay::quantizer
