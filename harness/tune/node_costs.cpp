// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/node_costs.h"

namespace assay::tune {
namespace {

using Shapes = std::map<std::string, Shape>;

double elements(const Shape& shape) {
  double count = 1;
  for (const Index size : shape) {
    count *= static_cast<double>(size);
  }
  return count;
}

// 0 for a node that multiplies nothing, or whose shapes are not known.
double cost_of(const Node& node, const Shapes& shapes) {
  const auto first = shapes.find(node.input(0));
  const auto second = shapes.find(node.input(1));
  const auto output = shapes.find(node.outputs.empty() ? "" : node.outputs[0]);
  if (first == shapes.end() || second == shapes.end() || output == shapes.end() || first->second.empty() ||
      second->second.empty()) {
    return 0;
  }
  const auto per_channel = [&] { return elements(second->second) / static_cast<double>(second->second[0]); };
  if (node.op_type == "Conv") {
    return elements(output->second) * per_channel();
  }
  if (node.op_type == "ConvTranspose") {
    return elements(first->second) * per_channel();
  }
  if (node.op_type == "MatMul") {
    return elements(output->second) * static_cast<double>(first->second.back());
  }
  if (node.op_type == "Gemm") {
    return elements(output->second) *
           static_cast<double>(node.int_attribute("transA", 0) != 0 ? first->second.front() : first->second.back());
  }
  return 0;
}

}  // namespace

Result<std::map<std::string, double>> node_costs(const api::Session& session, const Graph& graph,
                                                 const api::NamedTensors& inputs) {
  Shapes shapes;
  for (const auto& [name, tensor] : graph.initializers) {
    shapes[name] = tensor.shape();
  }
  for (const auto& [name, tensor] : inputs) {
    shapes[name] = tensor.shape();
  }
  api::RunOptions options;
  options.tap = [&](const std::string& value, const Tensor& tensor) { shapes[value] = tensor.shape(); };
  ASSAY_TRY(session.run(inputs, options));
  std::map<std::string, double> costs;
  for (const Node& node : graph.nodes) {
    if (const double cost = cost_of(node, shapes); cost > 0) {
      costs[node.name] = cost;
    }
  }
  return costs;
}

}  // namespace assay::tune
