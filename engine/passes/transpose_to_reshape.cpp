// SPDX-License-Identifier: Apache-2.0
// A Transpose that moves only dimensions of 1 past the others is a Reshape, which moves no data.
#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/transpose_match.h"
#include "engine/passes/value_facts.h"
#include "engine/passes/view_match.h"

namespace assay::passes {
namespace {

bool keeps_order(const std::vector<Dim>& dims, const Permutation& perm) {
  Index last = -1;
  for (const Index axis : perm) {
    if (dims[static_cast<std::size_t>(axis)].size == 1) {
      continue;
    }
    if (axis < last) {
      return false;
    }
    last = axis;
  }
  return true;
}

}  // namespace

Result<Index> transpose_to_reshape(Graph& graph, const PassContext& context) {
  constexpr Index kFirstOpset = 5;  // of Reshape with the shape as input
  if (graph.opset() < kFirstOpset) {
    return Index{0};
  }
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(graph, [&](Graph& g, const ValueIndex&, std::size_t i) -> Result<bool> {
    const auto perm = match_transpose(g.nodes[i]);
    const auto& dims = facts.of(g.nodes[i].input(0)).dims;
    const auto& result = facts.of(g.nodes[i].outputs[0]).dims;
    if (!perm.has_value() || !dims.has_value() || dims->size() != perm->size() || !result.has_value() ||
        !keeps_order(*dims, *perm)) {
      return false;
    }
    const auto target = reshape_target(*result);
    if (!target.has_value()) {
      return false;
    }
    Node reshape = g.nodes[i];
    reshape.origin = "transpose_to_reshape";
    make_reshape(g, reshape, g.nodes[i].input(0), *target);
    g.nodes[i] = std::move(reshape);
    return true;
  });
}

}  // namespace assay::passes
