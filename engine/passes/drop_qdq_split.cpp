// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear -> Split -> QuantizeLinear on every output with the input's parameters: Split runs on the integers.
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

Result<bool> drop_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  if (node.op_type != "Split" || !node.domain.empty()) {
    return false;
  }
  const auto input = match_activation(graph, index, node.input(0));
  if (!input.has_value()) {
    return false;
  }
  Node split = node;
  std::vector<std::size_t> absorbed;
  for (std::string& value : split.outputs) {
    const auto output = match_output(graph, index, value);
    if (!output.has_value() || output->absorbed.size() != 1 || !same_parameters(*input, output->quantization)) {
      return false;
    }
    value = output->quantization.integers;
    absorbed.push_back(output->absorbed[0]);
  }
  split.inputs[0] = input->integers;
  split.origin = "drop_qdq_split";
  graph.nodes[i] = std::move(split);
  erase_nodes(graph, std::move(absorbed));
  return true;
}

}  // namespace

Result<Index> drop_qdq_split(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, drop_at);
}

}  // namespace assay::passes
