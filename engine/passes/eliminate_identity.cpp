// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {

Result<Index> eliminate_identity(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, [](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    const Node node = g.nodes[i];
    if (node.op_type != "Identity" || !node.domain.empty()) {
      return false;
    }
    return forward_value(g, index, node.outputs[0], node.inputs[0]);
  });
}

}  // namespace assay::passes
