// SPDX-License-Identifier: Apache-2.0
// Conv -> Relu, LeakyRelu or Clip by constants becomes FusedConv, which clamps before it writes.
#include <cmath>

#include "engine/passes/all_passes.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/conv_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

// Sets the activation of `fused` to what the node does to its operand. False where it is none that FusedConv knows.
bool take_activation(const Graph& graph, const Node& node, Node& fused) {
  if (!node.domain.empty()) {
    return false;
  }
  std::vector<float> parameters;
  if (node.op_type == "LeakyRelu") {
    parameters = {node.float_attribute("alpha", 0.01F)};
  } else if (node.op_type == "Clip") {
    const auto bounds = match_clamp(graph, node);
    if (!bounds.has_value() || bounds->low > bounds->high) {
      return false;
    }
    parameters = {bounds->low, bounds->high};
  } else if (node.op_type != "Relu") {
    return false;
  }
  fused.attributes["activation"] = node.op_type;
  if (!parameters.empty()) {
    fused.attributes["activation_params"] = parameters;
  }
  return true;
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& conv = graph.nodes[i];
  if (!is_open_conv(graph, index, conv) || conv.has_attribute("activation")) {
    return false;
  }
  const auto position = static_cast<std::size_t>(index.consumers(conv.outputs[0]).front());
  const Node& activation = graph.nodes[position];
  if (activation.input(0) != conv.outputs[0]) {
    return false;
  }
  Node fused = as_fused_conv(graph, conv, "fuse_conv_activation");
  if (!take_activation(graph, activation, fused)) {
    return false;
  }
  fused.outputs = activation.outputs;
  graph.nodes[i] = std::move(fused);
  erase_nodes(graph, {position});
  return true;
}

}  // namespace

Result<Index> fuse_conv_activation(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
