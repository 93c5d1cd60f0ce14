// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/layers.h"

#include <unordered_set>

namespace assay::tune {
namespace {

bool is_clamp(const Node& node) { return node.domain.empty() && (node.op_type == "Relu" || node.op_type == "Clip"); }

}  // namespace

std::vector<Layer> layers_of(const Graph& graph, const std::vector<api::NodeDecision>& decisions) {
  std::unordered_set<std::string> quantized;
  for (const api::NodeDecision& decision : decisions) {
    if (decision.quantized) {
      quantized.insert(decision.node);
    }
  }
  const GraphIndex index(graph);
  std::vector<Layer> layers;
  for (const Node& node : graph.nodes) {
    if (!quantized.contains(node.name) || is_clamp(node)) {
      continue;
    }
    Layer layer{.node = node.name, .op_type = node.op_type, .clamps = {}};
    const Node* last = &node;
    while (last->outputs.size() == 1 && index.consumer_count(last->outputs[0]) == 1) {
      const Node& next = graph.nodes[static_cast<std::size_t>(index.consumers(last->outputs[0])[0])];
      if (!is_clamp(next) || !quantized.contains(next.name)) {
        break;
      }
      layer.clamps.push_back(next.name);
      last = &next;
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

Index parameter_bytes(const Graph& graph) {
  Index bytes = 0;
  for (const auto& [name, tensor] : graph.initializers) {
    bytes += is_4bit(tensor.dtype()) ? (tensor.size() + 1) / 2 : static_cast<Index>(tensor.size_bytes());
  }
  return bytes;
}

}  // namespace assay::tune
