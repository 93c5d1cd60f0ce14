// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/unary_group.h"

#include "engine/passes/output_match.h"

namespace assay::passes {

bool fuse_unary_group(Graph& graph, const ValueIndex& index, const UnaryGroup& group) {
  const Node node = graph.nodes[group.position];
  const auto x = match_activation(graph, index, node.input(0));
  const auto y = match_output(graph, index, node.outputs[0]);
  if (!x.has_value() || !y.has_value() || x->dtype != y->quantization.dtype) {
    return false;
  }
  Node fused = fused_node(node, kMicrosoftDomain, group.op_type, group.pass);
  fused.attributes = group.attributes;
  fused.inputs = {x->integers, x->scale, require_zero_point(graph, *x), y->quantization.scale,
                  require_zero_point(graph, y->quantization)};
  return replace_group_with_clip(graph, group.position, std::move(fused), *y);
}

}  // namespace assay::passes
