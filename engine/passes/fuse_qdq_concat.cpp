// SPDX-License-Identifier: Apache-2.0
// Concat of quantized operands becomes QLinearConcat, which requantizes each operand by a table of
// quantize(dequantize(q)): what the separate nodes compute.
#include "engine/passes/all_passes.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  if (node.op_type != "Concat" || !node.domain.empty()) {
    return false;
  }
  const auto y = match_output(graph, index, node.outputs[0]);
  if (!y.has_value()) {
    return false;
  }
  std::vector<Quantization> operands;
  for (const std::string& input : node.inputs) {
    const auto operand = match_activation(graph, index, input);
    if (!operand.has_value() || operand->dtype != y->quantization.dtype) {
      return false;
    }
    operands.push_back(*operand);
  }
  Node fused = fused_node(node, kMicrosoftDomain, "QLinearConcat", "fuse_qdq_concat");
  fused.attributes = node.attributes;
  fused.inputs = {y->quantization.scale, require_zero_point(graph, y->quantization)};
  for (const Quantization& operand : operands) {
    fused.inputs.insert(fused.inputs.end(), {operand.integers, operand.scale, require_zero_point(graph, operand)});
  }
  return replace_group_with_clip(graph, i, std::move(fused), *y);
}

}  // namespace

Result<Index> fuse_qdq_concat(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
