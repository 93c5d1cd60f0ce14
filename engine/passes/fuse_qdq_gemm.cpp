// SPDX-License-Identifier: Apache-2.0
// Gemm between quantized operands becomes QGemm; see fuse_qdq_conv.cpp for what that changes. Conditions, as ONNX
// Runtime has them: without C any alpha; with C alpha and beta are 1, since QGemm adds C to the accumulators as it is;
// a float C is rounded to them only where the output is quantized too. Where nothing quantizes the output it is
// float32: f32(f32(acc + c) * f32(f32(alpha * a_scale) * b_scale)).
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/bias_match.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/weight_match.h"

namespace assay::passes {
namespace {

enum Input : std::size_t { kYScale = 7, kYZeroPoint };

// alpha scales the accumulators and must keep the scale's properties.
bool is_usable_alpha(float alpha, const Quantization& a) { return is_usable_scale(alpha * a.scale_value()); }

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  if (node.op_type != "Gemm" || !node.domain.empty()) {
    return false;
  }
  const bool transpose_b = node.int_attribute("transB", 0) != 0;
  const float alpha = node.float_attribute("alpha", 1);
  const auto a = match_activation(graph, index, node.input(0));
  const auto b = match_weight(graph, index, node.input(1), transpose_b ? 0 : 1);
  if (!a.has_value() || !b.has_value() || !is_usable_alpha(alpha, *a)) {
    return false;
  }
  const auto y = match_output(graph, index, node.outputs[0]);
  std::optional<std::string> bias;
  if (!node.input(2).empty()) {
    const bool is_rounded = graph.constant(node.input(2)) != nullptr;
    if (alpha == 1 && node.float_attribute("beta", 1) == 1 && (y.has_value() || !is_rounded)) {
      bias = match_bias(graph, index, node.input(2), *a, *b);
    }
    if (!bias.has_value()) {
      return false;
    }
  }
  Node fused = fused_node(node, kMicrosoftDomain, "QGemm", "fuse_qdq_gemm");
  fused.attributes = node.attributes;
  fused.attributes.erase("beta");
  fused.inputs = {a->integers, a->scale, require_zero_point(graph, *a),
                  b->integers, b->scale, require_zero_point(graph, *b)};
  if (bias.has_value()) {
    fused.inputs.push_back(*bias);
  }
  if (!y.has_value()) {
    import_domain(graph, kMicrosoftDomain);
    fused.outputs = node.outputs;
    graph.nodes[i] = std::move(fused);
    return true;
  }
  fused.inputs.resize(kYZeroPoint + 1);
  fused.inputs[kYScale] = y->quantization.scale;
  fused.inputs[kYZeroPoint] = require_zero_point(graph, y->quantization);
  if (y->has_clamp()) {
    set_clamp(graph, fused, y->clamp);
  }
  replace_group(graph, i, std::move(fused), *y);
  return true;
}

}  // namespace

Result<Index> fuse_qdq_gemm(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
