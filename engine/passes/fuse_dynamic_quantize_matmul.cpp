// SPDX-License-Identifier: Apache-2.0
// DynamicQuantizeLinear whose outputs one MatMulIntegerToFloat alone reads becomes part of it: DynamicQuantizeMatMul.
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

enum Input : std::size_t { kA, kB, kAScale, kBScale, kAZeroPoint, kBZeroPoint, kBias };

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  if (node.op_type != "MatMulIntegerToFloat" || node.domain != kMicrosoftDomain) {
    return false;
  }
  const Index maker = index.producer(node.input(kA));
  if (maker < 0 || graph.constant(node.input(kB)) == nullptr || graph.constant(node.input(kBScale)) == nullptr) {
    return false;
  }
  const Node& quantize = graph.nodes[static_cast<std::size_t>(maker)];
  if (quantize.op_type != "DynamicQuantizeLinear" || !quantize.domain.empty() || quantize.outputs.size() != 3 ||
      node.input(kAScale) != quantize.outputs[1] || node.input(kAZeroPoint) != quantize.outputs[2] ||
      !std::all_of(quantize.outputs.begin(), quantize.outputs.end(),
                   [&](const std::string& value) { return is_used_once(graph, index, value); })) {
    return false;
  }
  Node fused = node;
  fused.op_type = "DynamicQuantizeMatMul";
  fused.origin = "fuse_dynamic_quantize_matmul";
  fused.inputs = {quantize.inputs[0], node.input(kB), node.input(kBScale)};
  if (!node.input(kBZeroPoint).empty() || !node.input(kBias).empty()) {
    fused.inputs.push_back(node.input(kBZeroPoint));
  }
  if (!node.input(kBias).empty()) {
    fused.inputs.push_back(node.input(kBias));
  }
  graph.nodes[i] = std::move(fused);
  return true;
}

}  // namespace

Result<Index> fuse_dynamic_quantize_matmul(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
