// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/recipes/network_builder.h"

#include <cmath>

#include <fmt/format.h>

namespace assay::spec {
namespace {

constexpr double kBiasDeviation = 0.1;

}  // namespace

NetworkBuilder::NetworkBuilder(std::uint64_t seed, const std::vector<Dim>& input_dims) : random_(seed) {
  graph_.opsets[""] = 13;
  graph_.inputs.push_back({"x", DType::kFloat32, true, input_dims});
}

std::string NetworkBuilder::node(const std::string& op, std::vector<std::string> inputs, AttributeMap attributes) {
  Node added;
  added.op_type = op;
  added.name = fmt::format("{}_{}", op, graph_.nodes.size());
  added.inputs = std::move(inputs);
  added.outputs = {fmt::format("v{}", graph_.nodes.size())};
  added.attributes = std::move(attributes);
  graph_.nodes.push_back(std::move(added));
  return graph_.nodes.back().outputs.front();
}

std::string NetworkBuilder::weights(const std::string& name, const Shape& shape, double deviation) {
  Index count = 1;
  for (const Index dim : shape) {
    count *= dim;
  }
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value = static_cast<float>(deviation * random_.normal());
  }
  graph_.initializers.emplace(name, Tensor::from<float>(shape, values));
  return name;
}

std::string NetworkBuilder::conv(const std::string& input, const ConvLayer& layer) {
  const std::string prefix = fmt::format("conv{}", graph_.nodes.size());
  const Index fan_in = layer.in_channels / layer.group * layer.kernel * layer.kernel;
  const std::string weight =
      weights(prefix + ".weight", {layer.out_channels, layer.in_channels / layer.group, layer.kernel, layer.kernel},
              std::sqrt(2.0 / static_cast<double>(fan_in)));
  const std::string bias = weights(prefix + ".bias", {layer.out_channels}, kBiasDeviation);
  const Index pad = layer.kernel / 2;
  return node("Conv", {input, weight, bias},
              {{"kernel_shape", std::vector<Index>{layer.kernel, layer.kernel}},
               {"strides", std::vector<Index>{layer.stride, layer.stride}},
               {"pads", std::vector<Index>{pad, pad, pad, pad}},
               {"group", layer.group}});
}

std::string NetworkBuilder::gemm(const std::string& input, Index in_features, Index out_features) {
  const std::string prefix = fmt::format("gemm{}", graph_.nodes.size());
  const std::string weight =
      weights(prefix + ".weight", {out_features, in_features}, std::sqrt(2.0 / static_cast<double>(in_features)));
  const std::string bias = weights(prefix + ".bias", {out_features}, kBiasDeviation);
  return node("Gemm", {input, weight, bias}, {{"transB", Index{1}}});
}

std::string NetworkBuilder::relu(const std::string& input) { return node("Relu", {input}); }

std::string NetworkBuilder::relu6(const std::string& input) {
  graph_.initializers.emplace("zero", Tensor::scalar(0.0F));
  graph_.initializers.emplace("six", Tensor::scalar(6.0F));
  return node("Clip", {input, "zero", "six"});
}

std::string NetworkBuilder::add(const std::string& a, const std::string& b) { return node("Add", {a, b}); }

std::string NetworkBuilder::pool_to_vector(const std::string& input) {
  return node("Flatten", {node("GlobalAveragePool", {input})}, {{"axis", Index{1}}});
}

Graph NetworkBuilder::finish(const std::vector<Dim>& output_dims) {
  graph_.nodes.back().outputs = {"y"};
  graph_.outputs.push_back({"y", DType::kFloat32, true, output_dims});
  return std::move(graph_);
}

}  // namespace assay::spec
