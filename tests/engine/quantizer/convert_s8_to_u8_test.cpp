// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/convert_s8_to_u8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/quantizer/quantize_graph.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;

Tensor int8s(const Shape& shape, const std::vector<std::int8_t>& values) {
  return Tensor::from<std::int8_t>(shape, values);
}

TEST(ConvertS8ToU8, ShiftsConstantsAndLeavesTheRest) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 1, 2, 2})
                                .constant("w", floats({1, 1, 1, 1}, {-1}))
                                .constant("b", floats({1}, {0.5}))
                                .node("Conv", "conv", {"x", "w", "b"})
                                .output("conv", {1, 1, 2, 2})
                                .build();
  for (const Format format : {Format::kQdq, Format::kQOperator}) {
    Options options;
    options.format = format;
    options.activation_type = DType::kInt8;
    const Graph before =
        quantize_graph(float_graph, test::ranges({{"x", {-1, 3}}, {"conv", {-4, 4}}}), options).value().graph;
    const QuantizedGraph result = convert_s8_to_u8(before).value();
    for (const auto& [name, tensor] : result.graph.initializers) {
      EXPECT_NE(tensor.dtype(), DType::kInt8) << name;
    }
    EXPECT_THAT(test::constant_values(result.graph, "w_quantized"), ElementsAre(1));  // -127 + 128
    EXPECT_THAT(test::constant_values(result.graph, "w_zero_point"), ElementsAre(128));
    EXPECT_THAT(test::constant_values(result.graph, "x_zero_point"), ElementsAre(64));
    EXPECT_TRUE(bytes_equal(*before.constant("b_quantized"), *result.graph.constant("b_quantized")));
    EXPECT_TRUE(bytes_equal(*before.constant("x_scale"), *result.graph.constant("x_scale")));
    EXPECT_TRUE(result.warnings.empty());
  }
}

// What only converts computes in no integers; what stands between such nodes does.
TEST(ConvertS8ToU8, TellsWhatComputesInIntegers) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 1, 2, 2})
                                .constant("w", floats({1, 1, 1, 1}, {-1}))
                                .node("Conv", "conv", {"x", "w"})
                                .node("Softmax", "soft", {"conv"})
                                .output("soft", {1, 1, 2, 2})
                                .build();
  for (const Format format : {Format::kQdq, Format::kQOperator}) {
    Options options;
    options.format = format;
    options.activation_type = DType::kInt8;
    options.op_types = {"Conv"};
    const Graph before =
        quantize_graph(float_graph, test::ranges({{"x", {-1, 3}}, {"conv", {-4, 4}}}), options).value().graph;
    std::vector<std::string> in_integers;
    const QuantizedGraph converted = convert_s8_to_u8(before).value();
    for (const auto& node : converted.nodes) {
      if (node.quantized) {
        in_integers.push_back(node.op_type);
      }
    }
    EXPECT_THAT(in_integers, ElementsAre(format == Format::kQdq ? "Conv" : "QLinearConv"));
  }
}

TEST(ConvertS8ToU8, MakesZeroPointsThatWereLeftOut) {
  const Graph graph = GraphBuilder()
                          .constant("q", int8s({2, 1}, {-128, 5}))
                          .constant("s", floats({2}, {1, 2}))
                          .node("DequantizeLinear", "y", {"q", "s"}, {{"axis", Index{0}}})
                          .output("y", {2, 1})
                          .build();
  const Graph converted = convert_s8_to_u8(graph).value().graph;
  EXPECT_THAT(test::constant_values(converted, "q"), ElementsAre(0, 133));
  ASSERT_EQ(converted.nodes[0].inputs.size(), 3U);
  EXPECT_THAT(test::constant_values(converted, converted.nodes[0].inputs[2]), ElementsAre(128, 128));
}

TEST(ConvertS8ToU8, MovesIntegerClampsAndPads) {
  const Graph graph = GraphBuilder()
                          .input("x", {4})
                          .constant("s", Tensor::scalar(1.0F))
                          .constant("z", int8s({}, {0}))
                          .constant("low", int8s({}, {-3}))
                          .constant("pads", Tensor::from<Index>({2}, {1, 1}))
                          .node("QuantizeLinear", "q", {"x", "s", "z"})
                          .node("Relu", "relu", {"q"})
                          .node("Clip", "clip", {"relu", "low"})
                          .node("Pad", "pad", {"clip", "pads"})
                          .node("DequantizeLinear", "y", {"pad", "s", "z"})
                          .output("y", {6})
                          .build();
  const Graph converted = convert_s8_to_u8(graph).value().graph;
  EXPECT_EQ(converted.nodes[1].op_type, "Clip");
  ASSERT_EQ(converted.nodes[1].inputs.size(), 2U);
  EXPECT_THAT(test::constant_values(converted, converted.nodes[1].inputs[1]), ElementsAre(128));
  EXPECT_THAT(test::constant_values(converted, "low"), ElementsAre(125));
  EXPECT_THAT(test::constant_values(converted, converted.nodes[3].inputs[2]), ElementsAre(128));
}

TEST(ConvertS8ToU8, RefusesInt8Ends) {
  const Graph graph = GraphBuilder()
                          .input("q", {1}, DType::kInt8)
                          .constant("s", Tensor::scalar(1.0F))
                          .node("DequantizeLinear", "y", {"q", "s"})
                          .output("y", {1})
                          .build();
  const auto result = convert_s8_to_u8(graph);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "graph input 'q' is int8; a conversion to uint8 would change what callers see");
}

TEST(ConvertS8ToU8, RefusesAFloatModelAndUnknownArithmetic) {
  const Graph plain = GraphBuilder().input("x", {1}).node("Relu", "y", {"x"}).output("y", {1}).build();
  EXPECT_EQ(convert_s8_to_u8(plain).error().message,
            "the model has no quantized operators; quantize it with uint8 types instead");
  const Graph odd = GraphBuilder()
                        .input("x", {1})
                        .constant("s", Tensor::scalar(1.0F))
                        .constant("z", int8s({}, {0}))
                        .node("QuantizeLinear", "q", {"x", "s", "z"})
                        .node("Add", "sum", {"q", "q"})
                        .node("DequantizeLinear", "y", {"sum", "s", "z"})
                        .output("y", {1})
                        .build();
  EXPECT_EQ(convert_s8_to_u8(odd).error().message,
            "Add node 'sum' (opset 13): it computes on int8 tensors in a way that this conversion does not know");
}

TEST(ConvertS8ToU8, SaysWhenThereIsNothingToDo) {
  const Graph graph = GraphBuilder()
                          .input("x", {1})
                          .constant("s", Tensor::scalar(1.0F))
                          .node("QuantizeLinear", "q", {"x", "s"})
                          .node("DequantizeLinear", "y", {"q", "s"})
                          .output("y", {1})
                          .build();
  EXPECT_THAT(convert_s8_to_u8(graph).value().warnings,
              ElementsAre("nothing to convert: the model has no int8 tensors"));
}

}  // namespace
}  // namespace assay::quantizer
