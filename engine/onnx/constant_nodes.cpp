// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/constant_nodes.h"

namespace assay::onnx {
namespace {

Result<Tensor> constant_value(const Graph& graph, const Node& node) {
  if (node.attributes.size() != 1) {
    return invalid_model(node_text(graph, node) + ": needs exactly one value attribute, but has " +
                         std::to_string(node.attributes.size()));
  }
  const auto& [name, attribute] = *node.attributes.begin();
  if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
    return *tensor;
  }
  if (const auto* value = std::get_if<float>(&attribute)) {
    return Tensor::scalar(*value);
  }
  if (const auto* value = std::get_if<Index>(&attribute)) {
    return Tensor::scalar(*value);
  }
  if (const auto* values = std::get_if<std::vector<float>>(&attribute)) {
    return Tensor::from({static_cast<Index>(values->size())}, *values);
  }
  if (const auto* values = std::get_if<std::vector<Index>>(&attribute)) {
    return Tensor::from({static_cast<Index>(values->size())}, *values);
  }
  return unsupported(node_text(graph, node) + ": attribute '" + name +
                     "' makes a string tensor, which is not supported");
}

}  // namespace

Status constant_nodes_to_initializers(Graph& graph) {
  std::vector<Node> others;
  for (Node& node : graph.nodes) {
    if (node.op_type != "Constant" || !node.domain.empty()) {
      others.push_back(std::move(node));
      continue;
    }
    ASSAY_ASSIGN(Tensor tensor, constant_value(graph, node));
    const std::string& output = node.outputs.front();
    if (graph.is_input(output) || !graph.initializers.emplace(output, std::move(tensor)).second) {
      return invalid_model(node_text(graph, node) + ": value '" + output +
                           "' already has a producer; every value is made once");
    }
  }
  graph.nodes = std::move(others);
  return {};
}

}  // namespace assay::onnx
