// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/all_passes.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  const bool fits = node.domain.empty() && (node.op_type == "Add" || node.op_type == "Mul");
  if (!fits) {
    return false;
  }
  const auto a = match_activation(graph, index, node.input(0));
  const auto b = match_activation(graph, index, node.input(1));
  const auto y = match_output(graph, index, node.outputs[0]);
  if (!a.has_value() || !b.has_value() || !y.has_value() || a->dtype != b->dtype || a->dtype != y->quantization.dtype) {
    return false;
  }
  Node fused = fused_node(node, kMicrosoftDomain, "QLinear" + node.op_type, "fuse_qdq_elementwise");
  fused.inputs = {a->integers,
                  a->scale,
                  require_zero_point(graph, *a),
                  b->integers,
                  b->scale,
                  require_zero_point(graph, *b),
                  y->quantization.scale,
                  require_zero_point(graph, y->quantization)};
  return replace_group_with_clip(graph, i, std::move(fused), *y);
}

}  // namespace

Result<Index> fuse_qdq_elementwise(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
