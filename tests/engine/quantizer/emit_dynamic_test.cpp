// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/emit_dynamic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/quantizer/quantize_graph.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;
using test::only_node;
using testing::ElementsAre;

Options dynamic() {
  Options options;
  options.format = Format::kDynamic;
  return options;
}

TEST(EmitDynamic, OneDynamicQuantizationPerValue) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 2})
                                .constant("w1", floats({2, 1}, {1, -2}))
                                .constant("w2", floats({2, 1}, {4, 0}))
                                .node("MatMul", "a", {"x", "w1"})
                                .node("MatMul", "b", {"x", "w2"})
                                .output("a", {1, 1})
                                .output("b", {1, 1})
                                .build();
  const Graph graph = quantize_graph(float_graph, {}, dynamic()).value().graph;
  EXPECT_EQ(test::count_op(graph, "DynamicQuantizeLinear"), 1);
  EXPECT_EQ(test::count_op(graph, "MatMulInteger"), 2);
  EXPECT_THAT(test::constant_values(graph, "w1_quantized"), ElementsAre(64, -127));
  EXPECT_EQ(test::producer_of(graph, "a")->op_type, "DequantizeLinear");
}

TEST(EmitDynamic, ColumnsMayHaveTheirOwnScales) {
  Options options = dynamic();
  options.per_channel = true;
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 2})
                                .constant("w", floats({2, 2}, {1, -4, -2, 0}))
                                .node("MatMul", "y", {"x", "w"})
                                .output("y", {1, 2})
                                .build();
  const Graph graph = quantize_graph(float_graph, {}, options).value().graph;
  EXPECT_EQ(graph.constant("w_scale")->shape(), (Shape{2}));
  EXPECT_EQ(only_node(graph, "DequantizeLinear").int_attribute("axis", 7), -1);
}

TEST(EmitDynamic, AConvAddsItsBiasInFloat) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {1, 1, 2, 2})
                                .constant("w", floats({2, 1, 1, 1}, {1, -4}))
                                .constant("b", floats({2}, {0.5, -1}))
                                .node("Conv", "conv", {"x", "w", "b"})
                                .output("conv", {1, 2, 2, 2})
                                .build();
  const Graph graph = quantize_graph(float_graph, {}, dynamic()).value().graph;
  EXPECT_EQ(only_node(graph, "ConvInteger").inputs.size(), 4U);
  const Node& add = *test::producer_of(graph, "conv");
  EXPECT_EQ(add.op_type, "Add");
  EXPECT_EQ(graph.constant(add.inputs[1])->shape(), (Shape{1, 2, 1, 1}));
}

TEST(EmitDynamic, SaysWhatStaysFloat) {
  const Graph float_graph = GraphBuilder()
                                .input("x", {2, 2})
                                .input("c", {2})
                                .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                                .node("Gemm", "gemm", {"x", "w", "c"})
                                .node("Relu", "relu", {"gemm"})
                                .output("relu", {2, 2})
                                .build();
  const QuantizedGraph result = quantize_graph(float_graph, {}, dynamic()).value();
  EXPECT_EQ(result.nodes[0].reason, "the dynamic format has no integer form of Gemm with transA or a computed B or C");
  EXPECT_EQ(result.nodes[1].reason, "the dynamic format has no integer form of Relu");
}

}  // namespace
}  // namespace assay::quantizer
