// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/conv_match.h"

#include "engine/passes/rewrite.h"

namespace assay::passes {

bool is_open_conv(const Graph& graph, const ValueIndex& index, const Node& node) {
  const bool is_conv = (node.domain.empty() && node.op_type == "Conv") ||
                       (node.domain == kMicrosoftDomain && node.op_type == "FusedConv");
  if (!is_conv || !is_used_once(graph, index, node.outputs[0])) {
    return false;
  }
  const Tensor* weight = graph.constant(node.input(1));
  return weight != nullptr && weight->dtype() == DType::kFloat32 && (weight->rank() == 3 || weight->rank() == 4);
}

Node as_fused_conv(Graph& graph, const Node& conv, const char* pass) {
  Node fused = conv;
  fused.op_type = "FusedConv";
  fused.domain = kMicrosoftDomain;
  fused.origin = pass;
  import_domain(graph, kMicrosoftDomain);
  return fused;
}

}  // namespace assay::passes
