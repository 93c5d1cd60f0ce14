// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/operator_model.h"

#include <cmath>

#include "harness/bench/test_data.h"

namespace assay::bench {
namespace {

constexpr float kXScale = 0.02F;
constexpr float kWScale = 0.01F;
constexpr std::uint8_t kXZeroPoint = 128;
constexpr std::uint8_t kYZeroPoint = 128;

// Outputs of random operands then fill their type without saturating much.
float y_scale(Index k) { return kXScale * kWScale * 74.0F * 74.0F * std::sqrt(static_cast<float>(k)) / 42.0F; }

Result<Tensor> random_bytes(DType dtype, const Shape& shape, std::uint64_t seed) {
  ASSAY_ASSIGN(Tensor tensor, Tensor::allocate(dtype, shape));
  fill_bytes({reinterpret_cast<std::uint8_t*>(tensor.mutable_bytes()), tensor.size_bytes()}, seed);
  return tensor;
}

ValueInfo value(const std::string& name, DType dtype, const Shape& shape) {
  ValueInfo info{.name = name, .dtype = dtype, .has_shape = true, .dims = {}};
  for (const Index size : shape) {
    info.dims.push_back({size, ""});
  }
  return info;
}

// x -> node -> y; the initializers are named as the node's inputs.
Graph graph_of(Node node, const ValueInfo& x, const ValueInfo& y) {
  Graph graph;
  graph.name = "benchmark";
  graph.opsets[""] = 13;
  graph.inputs = {x};
  graph.outputs = {y};
  node.name = "node";
  node.outputs = {"y"};
  graph.nodes = {std::move(node)};
  return graph;
}

}  // namespace

Result<api::Model> qlinear_conv(const ConvShape& shape) {
  const Index out = (shape.size - 1) / shape.stride + 1;
  const Index group_channels = shape.channels / shape.groups;
  const Index pad = shape.kernel / 2;
  Node node;
  node.op_type = "QLinearConv";
  node.inputs = {"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point", "bias"};
  node.attributes["pads"] = std::vector<Index>{pad, pad, pad, pad};
  node.attributes["strides"] = std::vector<Index>{shape.stride, shape.stride};
  node.attributes["group"] = shape.groups;
  Graph graph = graph_of(node, value("x", DType::kUint8, {1, shape.channels, shape.size, shape.size}),
                         value("y", DType::kUint8, {1, shape.outputs, out, out}));
  ASSAY_ASSIGN(graph.initializers["w"],
               random_bytes(DType::kInt8, {shape.outputs, group_channels, shape.kernel, shape.kernel}, 2));
  const auto outputs = static_cast<std::size_t>(shape.outputs);
  std::vector<float> scales(outputs);
  fill_floats(scales, 3, kWScale / 2, kWScale);
  std::vector<std::int32_t> bias(outputs);
  fill_integers(bias, 4, -1000, 1000);
  graph.initializers["x_scale"] = Tensor::scalar(kXScale);
  graph.initializers["x_zero_point"] = Tensor::scalar(kXZeroPoint);
  graph.initializers["w_scale"] = Tensor::from({shape.outputs}, scales);
  graph.initializers["w_zero_point"] = Tensor::from({shape.outputs}, std::vector<std::int8_t>(outputs, 0));
  graph.initializers["y_scale"] = Tensor::scalar(y_scale(group_channels * shape.kernel * shape.kernel));
  graph.initializers["y_zero_point"] = Tensor::scalar(kYZeroPoint);
  graph.initializers["bias"] = Tensor::from({shape.outputs}, bias);
  return api::Model::from_graph(std::move(graph));
}

Result<api::Model> qlinear_matmul(const GemmShape& shape) {
  Node node;
  node.op_type = "QLinearMatMul";
  node.inputs = {"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point"};
  Graph graph =
      graph_of(node, value("x", DType::kUint8, {shape.m, shape.k}), value("y", DType::kUint8, {shape.m, shape.n}));
  ASSAY_ASSIGN(graph.initializers["w"], random_bytes(DType::kInt8, {shape.k, shape.n}, 2));
  graph.initializers["x_scale"] = Tensor::scalar(kXScale);
  graph.initializers["x_zero_point"] = Tensor::scalar(kXZeroPoint);
  graph.initializers["w_scale"] = Tensor::scalar(kWScale);
  graph.initializers["w_zero_point"] = Tensor::scalar(std::int8_t{0});
  graph.initializers["y_scale"] = Tensor::scalar(y_scale(shape.k));
  graph.initializers["y_zero_point"] = Tensor::scalar(kYZeroPoint);
  return api::Model::from_graph(std::move(graph));
}

Result<api::Model> matmul_integer(const GemmShape& shape, ActivationType activation) {
  const DType type = activation == ActivationType::kUint8 ? DType::kUint8 : DType::kInt8;
  Node node;
  node.op_type = "MatMulInteger";
  node.inputs = {"x", "w", "x_zero_point", "w_zero_point"};
  Graph graph = graph_of(node, value("x", type, {shape.m, shape.k}), value("y", DType::kInt32, {shape.m, shape.n}));
  ASSAY_ASSIGN(graph.initializers["w"], random_bytes(DType::kInt8, {shape.k, shape.n}, 2));
  graph.initializers["x_zero_point"] =
      activation == ActivationType::kUint8 ? Tensor::scalar(kXZeroPoint) : Tensor::scalar(std::int8_t{0});
  graph.initializers["w_zero_point"] = Tensor::scalar(std::int8_t{0});
  return api::Model::from_graph(std::move(graph));
}

}  // namespace assay::bench
