// SPDX-License-Identifier: Apache-2.0
// Conv between quantized operands. With integers q, zero points z and scales s the Conv computes, but for float32
// rounding, v = sx * sw[c] * (sum (qx - zx)(qw - zw[c]) + b[c]): QLinearConv's accumulator times its scale. Both round
// v to the output's steps, so that they differ by at most one step. A clamp in between acts on the step found (see
// quantize_bounds()), hence clamp_min and clamp_max do to QLinearConv's result what Relu or Clip do to the Conv's.
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/bias_match.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/weight_match.h"

namespace assay::passes {
namespace {

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  if (node.op_type != "Conv" || !node.domain.empty()) {
    return false;
  }
  const auto x = match_activation(graph, index, node.input(0));
  const auto w = match_weight(graph, index, node.input(1), 0);
  const auto y = match_output(graph, index, node.outputs[0]);
  if (!x.has_value() || !w.has_value() || !y.has_value()) {
    return false;
  }
  std::optional<std::string> bias;
  if (!node.input(2).empty()) {
    bias = match_bias(graph, index, node.input(2), *x, *w);
    if (!bias.has_value()) {
      return false;
    }
  }
  Node fused = fused_node(node, "", "QLinearConv", "fuse_qdq_conv");
  fused.attributes = node.attributes;
  fused.inputs = {x->integers,
                  x->scale,
                  require_zero_point(graph, *x),
                  w->integers,
                  w->scale,
                  require_zero_point(graph, *w),
                  y->quantization.scale,
                  require_zero_point(graph, y->quantization)};
  if (bias.has_value()) {
    fused.inputs.push_back(*bias);
  }
  if (y->has_clamp()) {
    set_clamp(graph, fused, y->clamp);
  }
  replace_group(graph, i, std::move(fused), *y);
  return true;
}

}  // namespace

Result<Index> fuse_qdq_conv(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
