// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/inspect.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/quantizer/quantize_graph.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using testing::ElementsAre;
using testing::IsEmpty;

Graph network() {
  return test::GraphBuilder()
      .input("x", {1, 2, 2, 2})
      .constant("w", floats({2, 2, 1, 1}, {1, -2, 3, 4}))
      .constant("b", floats({2}, {0.5, -0.5}))
      .node("Conv", "c", {"x", "w", "b"})
      .node("MaxPool", "p", {"c"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
      .node("Sigmoid", "y", {"p"})
      .output("y", {1, 2, 1, 1})
      .build();
}

RangeTable ranges() {
  RangeTable table;
  for (const char* name : {"x", "c", "p", "y"}) {
    table[name] = {.range = {.min = -1, .max = 2}, .fault = "", .rank = 4};
  }
  return table;
}

Inspection inspect_quantized(const Options& options) {
  const Result<QuantizedGraph> quantized = quantize_graph(network(), ranges(), options);
  EXPECT_TRUE(quantized.ok()) << quantized.error().message;
  return inspect(quantized.value().graph);
}

std::vector<std::string> names_of(const Inspection& found) {
  std::vector<std::string> names;
  for (const StatedParams& params : found.params) {
    names.push_back(params.tensor);
  }
  return names;
}

const StatedParams& params_of(const Inspection& found, const std::string& tensor) {
  return *std::ranges::find(found.params, tensor, &StatedParams::tensor);
}

TEST(Inspect, FloatModelsHaveNoParametersAndEveryConstant) {
  const Inspection found = inspect(network());
  EXPECT_THAT(found.params, IsEmpty());
  EXPECT_EQ(found.constants.size(), 2U);
  ASSERT_EQ(found.nodes.size(), 3U);
  for (const StatedNode& node : found.nodes) {
    EXPECT_EQ(node.arithmetic, NodeArithmetic::kFloat) << node.node.name;
  }
}

// The same names, whatever the format: those of the float model.
TEST(Inspect, FormatsStateTheSameTensors) {
  Options options;
  options.per_channel = true;
  const Inspection qdq = inspect_quantized(options);
  options.format = Format::kQOperator;
  const Inspection qoperator = inspect_quantized(options);
  EXPECT_THAT(names_of(qdq), ElementsAre("b", "c", "p", "w", "x", "y"));
  for (const Inspection* found : {&qdq, &qoperator}) {
    const StatedParams& weight = params_of(*found, "w");
    EXPECT_EQ(weight.dtype, DType::kInt8);
    EXPECT_EQ(weight.axis, 0);
    EXPECT_EQ(weight.scales.size(), 2U);
    EXPECT_EQ(weight.values.size(), 4);
    const StatedParams& input = params_of(*found, "x");
    EXPECT_EQ(input.dtype, DType::kUint8);
    EXPECT_EQ(input.axis, -1);
    EXPECT_THAT(input.zero_points, ElementsAre(85));
    EXPECT_TRUE(input.values.empty());
    EXPECT_EQ(params_of(*found, "y").scales, params_of(qdq, "y").scales);
  }
  EXPECT_EQ(params_of(qdq, "b").dtype, DType::kInt32);
}

TEST(Inspect, NodesSayHowTheyCompute) {
  Options options;
  options.op_types = {"Conv", "MaxPool"};
  const Inspection partly = inspect_quantized(options);
  ASSERT_EQ(partly.nodes.size(), 3U);
  EXPECT_EQ(partly.nodes[0].arithmetic, NodeArithmetic::kIntegers);
  EXPECT_EQ(partly.nodes[1].arithmetic, NodeArithmetic::kIntegers);
  EXPECT_EQ(partly.nodes[2].arithmetic, NodeArithmetic::kFloat);
  EXPECT_THAT(partly.nodes[0].node.inputs, ElementsAre("x", "w", "b"));
  EXPECT_THAT(partly.nodes[2].node.inputs, ElementsAre("p"));

  options.format = Format::kWeightOnly;
  const Inspection weights = inspect_quantized(options);
  EXPECT_EQ(weights.nodes[0].arithmetic, NodeArithmetic::kIntegerWeights);
  EXPECT_THAT(names_of(weights), ElementsAre("w"));

  options.format = Format::kDynamic;
  const Inspection dynamic = inspect_quantized(options);
  EXPECT_TRUE(params_of(dynamic, "x").dynamic);
  EXPECT_THAT(params_of(dynamic, "x").scales, IsEmpty());
  EXPECT_EQ(params_of(dynamic, "w").dtype, DType::kInt8);
}

// A Relu between a Conv and its QuantizeLinear belongs to the Conv.
TEST(Inspect, ClampsInFrontOfQuantizeLinearAreIntegers) {
  const auto scalar = [](float value) { return Tensor::scalar(value); };
  test::GraphBuilder builder;
  builder.input("x", {1, 1, 2, 2})
      .constant("s", scalar(0.5F))
      .constant("z", Tensor::scalar<std::uint8_t>(3))
      .constant("w_quantized", Tensor::from<std::int8_t>({1, 1, 1, 1}, {7}))
      .constant("ws", scalar(0.25F))
      .node("QuantizeLinear", "q", {"x", "s", "z"})
      .node("DequantizeLinear", "d", {"q", "s", "z"})
      .node("DequantizeLinear", "wd", {"w_quantized", "ws"})
      .node("Conv", "c", {"d", "wd"})
      .node("Relu", "y_QuantizeLinear_Input", {"c"})
      .node("QuantizeLinear", "yq", {"y_QuantizeLinear_Input", "s", "z"})
      .node("DequantizeLinear", "y", {"yq", "s", "z"})
      .output("y", {1, 1, 2, 2});
  const Inspection found = inspect(builder.build());
  EXPECT_THAT(names_of(found), ElementsAre("w", "x", "y"));
  ASSERT_EQ(found.nodes.size(), 2U);
  EXPECT_EQ(found.nodes[0].arithmetic, NodeArithmetic::kIntegers);
  EXPECT_EQ(found.nodes[1].arithmetic, NodeArithmetic::kIntegers);
  EXPECT_THAT(found.nodes[1].node.outputs, ElementsAre("y"));
  EXPECT_THAT(params_of(found, "w").zero_points, ElementsAre(0));
  EXPECT_THAT(found.constants, IsEmpty());
}

TEST(Inspect, SecondSetOfParametersIsNumbered) {
  test::GraphBuilder builder;
  builder.input("x", {2})
      .constant("s", Tensor::scalar(0.5F))
      .constant("t", Tensor::scalar(0.25F))
      .constant("z", Tensor::scalar<std::uint8_t>(3))
      .node("QuantizeLinear", "q", {"x", "s", "z"})
      .node("DequantizeLinear", "d", {"q", "s", "z"})
      .node("QuantizeLinear", "q2", {"x", "t", "z"})
      .node("DequantizeLinear", "d2", {"q2", "t", "z"})
      .node("Add", "y", {"d", "d2"})
      .output("y", {2});
  const Inspection found = inspect(builder.build());
  EXPECT_THAT(names_of(found), ElementsAre("x", "x (2)"));
  EXPECT_THAT(found.nodes[0].node.inputs, ElementsAre("x", "x"));
}

}  // namespace
}  // namespace assay::quantizer
