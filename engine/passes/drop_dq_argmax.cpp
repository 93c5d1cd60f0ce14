// SPDX-License-Identifier: Apache-2.0
// ArgMax and ArgMin of dequantized values are those of the integers: with a usable scale dequantizing keeps the order
// of the integers and never makes two of them equal.
#include "engine/passes/all_passes.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {

Result<Index> drop_dq_argmax(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, [](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    Node& node = g.nodes[i];
    if (!node.domain.empty() || (node.op_type != "ArgMax" && node.op_type != "ArgMin")) {
      return false;
    }
    const auto input = match_activation(g, index, node.input(0));
    if (!input.has_value()) {
      return false;
    }
    node.inputs[0] = input->integers;
    node.origin = "drop_dq_argmax";
    return true;
  });
}

}  // namespace assay::passes
