// SPDX-License-Identifier: Apache-2.0
// MatMul between quantized operands becomes QLinearMatMul; see fuse_qdq_conv.cpp for what that changes. The second
// operand may be quantized per column where it is a constant matrix. Where nothing quantizes the output it becomes
// MatMulIntegerToFloat: f32(acc) * f32(a_scale * b_scale).
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/weight_match.h"

namespace assay::passes {
namespace {

bool is_per_column_of_stack(const Graph& graph, const Quantization& b) {
  const Tensor* constant = graph.constant(b.integers);
  return !b.per_tensor() && constant != nullptr && constant->rank() != 2;
}

bool feeds_quantize(const Graph& graph, const ValueIndex& index, const std::string& value) {
  const std::vector<Index>& readers = index.consumers(value);
  return std::any_of(readers.begin(), readers.end(), [&](Index reader) {
    return graph.nodes[static_cast<std::size_t>(reader)].op_type == "QuantizeLinear";
  });
}

bool fuse_to_float(Graph& graph, const ValueIndex& index, std::size_t i, const Quantization& a, const Quantization& b) {
  const Node node = graph.nodes[i];
  if (feeds_quantize(graph, index, node.outputs[0])) {
    return false;
  }
  Node fused = fused_node(node, kMicrosoftDomain, "MatMulIntegerToFloat", "fuse_qdq_matmul");
  fused.inputs = {a.integers, b.integers, a.scale, b.scale, require_zero_point(graph, a), require_zero_point(graph, b)};
  fused.outputs = node.outputs;
  import_domain(graph, kMicrosoftDomain);
  graph.nodes[i] = std::move(fused);
  return true;
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  if (node.op_type != "MatMul" || !node.domain.empty()) {
    return false;
  }
  const auto a = match_activation(graph, index, node.input(0));
  const auto b = match_weight(graph, index, node.input(1), -1);
  const auto y = match_output(graph, index, node.outputs[0]);
  if (!a.has_value() || !b.has_value() || is_per_column_of_stack(graph, *b)) {
    return false;
  }
  if (!y.has_value()) {
    return fuse_to_float(graph, index, i, *a, *b);
  }
  Node fused = fused_node(node, "", "QLinearMatMul", "fuse_qdq_matmul");
  fused.inputs = {a->integers,
                  a->scale,
                  require_zero_point(graph, *a),
                  b->integers,
                  b->scale,
                  require_zero_point(graph, *b),
                  y->quantization.scale,
                  require_zero_point(graph, y->quantization)};
  if (y->has_clamp()) {
    set_clamp(graph, fused, y->clamp);
  }
  replace_group(graph, i, std::move(fused), *y);
  return true;
}

}  // namespace

Result<Index> fuse_qdq_matmul(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
