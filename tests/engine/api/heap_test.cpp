// SPDX-License-Identifier: Apache-2.0
// A settled run asks the allocator for its results and for nothing else.
#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <string>

#include "tests/engine/api/quantize_support.h"
#include "tests/engine/api/settled_run.h"
#include "tests/support/random.h"

namespace assay::api {
namespace {

using quantizer::Format;
using test::floats;
using test::GraphBuilder;

struct Network {
  Graph graph;
  NamedTensors inputs;
};

Tensor random_floats(test::Random& random, const Shape& shape, float deviation = 1) {
  Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
  for (float& element : tensor.mutable_data<float>()) {
    element = random.normal(0, deviation);
  }
  return tensor;
}

using Ints = std::vector<Index>;

// Convolutions (dense, depthwise, 1x1), a residual Add, Relu, Clip, HardSwish, pools, Resize, Concat, Pad, Gemm,
// Softmax.
Network conv_network() {
  test::Random random(60);
  GraphBuilder builder(14);
  builder.input("x", {2, 3, 16, 16})
      .constant("w1", random_floats(random, {8, 3, 3, 3}, 0.3F))
      .constant("b1", random_floats(random, {8}))
      .constant("w2", random_floats(random, {8, 1, 3, 3}, 0.4F))
      .constant("w3", random_floats(random, {8, 8, 1, 1}, 0.4F))
      .constant("w4", random_floats(random, {16, 10}, 0.4F))
      .constant("b4", random_floats(random, {10}))
      .constant("zero", Tensor::scalar(0.0F))
      .constant("six", Tensor::scalar(6.0F))
      .constant("none", Tensor::allocate(DType::kFloat32, {0}).value())
      .constant("scales", floats({4}, {1, 1, 2, 2}))
      .constant("pads", Tensor::from<Index>({8}, {0, 0, 1, 1, 0, 0, 1, 1}))
      .node("Conv", "conv1", {"x", "w1", "b1"}, {{"pads", Ints{1, 1, 1, 1}}})
      .node("Relu", "relu1", {"conv1"})
      .node("Conv", "conv2", {"relu1", "w2"}, {{"pads", Ints{1, 1, 1, 1}}, {"group", Index{8}}})
      .node("Clip", "clip2", {"conv2", "zero", "six"})
      .node("Conv", "conv3", {"clip2", "w3"})
      .node("Add", "sum", {"relu1", "conv3"})
      .node("HardSwish", "swish", {"sum"})
      .node("MaxPool", "pool", {"swish"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}})
      .node("Sigmoid", "gate", {"pool"})
      .node("Mul", "gated", {"pool", "gate"})
      .node("Resize", "large", {"gated", "none", "scales"}, {{"mode", std::string("nearest")}})
      .node("AveragePool", "avg", {"large"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}})
      .node("Concat", "cat", {"gated", "avg"}, {{"axis", Index{1}}})
      .node("Pad", "padded", {"cat", "pads"})
      .node("GlobalAveragePool", "gap", {"padded"})
      .node("Flatten", "flat", {"gap"})
      .node("Gemm", "gemm", {"flat", "w4", "b4"})
      .node("Softmax", "y", {"gemm"})
      .output("y", {2, 10});
  return {.graph = builder.build(), .inputs = {{"x", random_floats(random, {2, 3, 16, 16})}}};
}

// One block of an encoder: projections, heads by Reshape and Transpose, products of activations, Softmax, a residual
// LayerNormalization, a gate by Erf, and what reads positions.
GraphBuilder attention_nodes(test::Random& random, const std::string& heads_shape, const std::string& merged_shape) {
  GraphBuilder builder(17);
  for (const char* name : {"wq", "wk", "wv", "wo"}) {
    builder.constant(name, random_floats(random, {16, 16}, 0.3F));
  }
  builder.constant("bq", random_floats(random, {16}))
      .constant("root", Tensor::scalar(2.0F))
      .constant("scale", random_floats(random, {16}))
      .constant("shift", random_floats(random, {16}))
      .constant("half", Tensor::scalar(0.5F))
      .constant("one", Tensor::scalar(1.0F))
      .constant("begin", Tensor::from<Index>({1}, {0}))
      .constant("end", Tensor::from<Index>({1}, {1}))
      .constant("axis", Tensor::from<Index>({1}, {1}));
  for (const std::string p : {"q", "k", "v"}) {
    builder.node("MatMul", p, {"x", "w" + p});
  }
  builder.node("Add", "q_sum", {"q", "bq"})
      .node("Reshape", "q_heads", {"q_sum", heads_shape})
      .node("Reshape", "k_heads", {"k", heads_shape})
      .node("Reshape", "v_heads", {"v", heads_shape})
      .node("Transpose", "qt", {"q_heads"}, {{"perm", Ints{0, 2, 1, 3}}})
      .node("Transpose", "kt", {"k_heads"}, {{"perm", Ints{0, 2, 3, 1}}})
      .node("Transpose", "vt", {"v_heads"}, {{"perm", Ints{0, 2, 1, 3}}})
      .node("MatMul", "scores", {"qt", "kt"})
      .node("Div", "scaled", {"scores", "root"})
      .node("Softmax", "weights", {"scaled"}, {{"axis", Index{-1}}})
      .node("MatMul", "mixed", {"weights", "vt"})
      .node("Transpose", "back", {"mixed"}, {{"perm", Ints{0, 2, 1, 3}}})
      .node("Reshape", "merged", {"back", merged_shape})
      .node("MatMul", "projected", {"merged", "wo"})
      .node("Add", "residual", {"projected", "x"})
      .node("LayerNormalization", "norm", {"residual", "scale", "shift"})
      .node("Erf", "erf", {"norm"})
      .node("Add", "erf1", {"erf", "one"})
      .node("Mul", "gelu0", {"norm", "erf1"})
      .node("Mul", "gelu", {"gelu0", "half"})
      .node("ReduceMean", "mean", {"gelu"}, {{"axes", Ints{-1}}})
      .node("Sub", "centred", {"gelu", "mean"})
      .node("Slice", "first", {"centred", "begin", "end", "axis"})
      .node("Gather", "token", {"centred", "begin"}, {{"axis", Index{1}}})
      .node("Concat", "both", {"first", "token"}, {{"axis", Index{2}}})
      .node("Squeeze", "flat", {"both", "axis"})
      .node("Unsqueeze", "y", {"flat", "axis"})
      .output("y", {1, 1, 32});
  return builder;
}

Network attention_network() {
  test::Random random(61);
  GraphBuilder builder = attention_nodes(random, "heads", "width");
  builder.input("x", {1, 6, 16})
      .constant("heads", Tensor::from<Index>({4}, {1, 6, 4, 4}))
      .constant("width", Tensor::from<Index>({3}, {1, 6, 16}));
  return {.graph = builder.build(), .inputs = {{"x", random_floats(random, {1, 6, 16})}}};
}

// The same with a batch and a length that are found while it runs.
Network dynamic_network() {
  test::Random random(62);
  GraphBuilder shapes(17);
  shapes.input("x", {1, 6, 16})
      .constant("minus", Tensor::from<Index>({1}, {-1}))
      .constant("head", Tensor::from<Index>({2}, {4, 4}))
      .constant("zeros", Tensor::from<Index>({1}, {0}))
      .constant("ones", Tensor::from<Index>({1}, {1}))
      .node("Shape", "shape", {"x"})
      .node("Gather", "batch", {"shape", "zeros"})
      .node("Gather", "length", {"shape", "ones"})
      .node("Concat", "heads", {"batch", "length", "head"}, {{"axis", Index{0}}})
      .node("Concat", "width", {"batch", "length", "minus"}, {{"axis", Index{0}}});
  Graph graph = attention_nodes(random, "heads", "width").build();
  Graph front = shapes.build();
  graph.inputs = {front.inputs};
  graph.inputs[0].dims[0] = {.size = -1, .name = "batch"};
  graph.inputs[0].dims[1] = {.size = -1, .name = "length"};
  graph.outputs[0].dims[0] = {.size = -1, .name = "batch"};
  graph.initializers.merge(front.initializers);
  graph.nodes.insert(graph.nodes.begin(), front.nodes.begin(), front.nodes.end());
  return {.graph = std::move(graph), .inputs = {{"x", random_floats(random, {2, 5, 16})}}};
}

Model model_of(const Network& network) {
  auto model = Model::from_graph(network.graph);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return model.value();
}

Model quantized(const Network& network, Format format, bool per_channel = false) {
  quantizer::Options options;
  options.format = format;
  options.per_channel = per_channel;
  auto result = quantize(model_of(network), test::samples({network.inputs}), options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.value().model;
}

struct Row {
  const char* name;
  Network (*network)();
  std::optional<Format> format;  // none: float
  bool per_channel = false;
};

class SettledRun : public testing::TestWithParam<Row> {};

TEST_P(SettledRun, AllocatesNothingButItsResults) {
  if (!test::heap_is_counted()) {
    std::cout << "skipped: the allocator is a sanitizer's\n";
    return;
  }
  const Row& row = GetParam();
  const Network network = row.network();
  const Model model = row.format ? quantized(network, *row.format, row.per_channel) : model_of(network);
  for (const Optimization level : {Optimization::kAll, Optimization::kNone}) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::string(optimization_name(level)) + ", threads " + std::to_string(threads));
      SessionOptions options;
      options.optimization = level;
      options.profile = {.isa = best_isa(host_features()), .precision = Precision::kFast};
      options.threads = threads;
      test::expect_settled(model, network.inputs, options);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, SettledRun,
                         testing::Values(Row{"FloatConv", conv_network, std::nullopt},
                                         Row{"QdqConv", conv_network, Format::kQdq},
                                         Row{"QdqConvPerChannel", conv_network, Format::kQdq, true},
                                         Row{"QOperatorConv", conv_network, Format::kQOperator},
                                         Row{"FloatAttention", attention_network, std::nullopt},
                                         Row{"QdqAttention", attention_network, Format::kQdq},
                                         Row{"QOperatorAttention", attention_network, Format::kQOperator},
                                         Row{"DynamicAttention", attention_network, Format::kDynamic},
                                         Row{"FloatDynamicShapes", dynamic_network, std::nullopt},
                                         Row{"QdqDynamicShapes", dynamic_network, Format::kQdq}),
                         [](const testing::TestParamInfo<Row>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace assay::api
