// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

// A folded node may not blow the model up: results may have this many bytes, or as many as the inputs.
constexpr std::size_t kAlwaysFoldedBytes = std::size_t{1} << 20U;

bool is_foldable(const Graph& graph, const Node& node) {
  const bool dequantizes = node.domain.empty() && node.op_type == "DequantizeLinear";
  return !dequantizes && std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
    return input.empty() || graph.constant(input) != nullptr;
  });
}

std::size_t total_bytes(const std::vector<Tensor>& tensors) {
  std::size_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += tensor.size_bytes();
  }
  return bytes;
}

std::vector<Tensor> constant_inputs(const Graph& graph, const Node& node) {
  std::vector<Tensor> inputs;
  for (const std::string& input : node.inputs) {
    inputs.push_back(input.empty() ? Tensor() : *graph.constant(input));
  }
  return inputs;
}

}  // namespace

Result<Index> constant_folding(Graph& graph, const PassContext& context) {
  if (!context.evaluate) {
    return Index{0};
  }
  return rewrite_until_stable(graph, [&](Graph& g, const ValueIndex&, std::size_t i) -> Result<bool> {
    const Node& node = g.nodes[i];
    if (!is_foldable(g, node)) {
      return false;
    }
    const std::vector<Tensor> inputs = constant_inputs(g, node);
    const auto outputs = context.evaluate(g, node, inputs);
    // What cannot be computed now fails again, with its node's name, when the model runs.
    if (!outputs.ok() || outputs.value().size() < node.outputs.size() ||
        total_bytes(outputs.value()) > std::max(kAlwaysFoldedBytes, total_bytes(inputs))) {
      return false;
    }
    for (std::size_t j = 0; j < node.outputs.size(); ++j) {
      if (!node.outputs[j].empty()) {
        g.initializers[node.outputs[j]] = outputs.value()[j];
      }
    }
    erase_nodes(g, {i});
    return true;
  });
}

}  // namespace assay::passes
