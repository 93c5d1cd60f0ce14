// SPDX-License-Identifier: Apache-2.0
// A view of a view is a Reshape of what the first one reads, if the last shape can be said without the one between.
#include <algorithm>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"
#include "engine/passes/view_match.h"

namespace assay::passes {
namespace {

std::optional<std::vector<Index>> target_of(const Graph& graph, const FactTable& facts, const Node& node) {
  if (const auto& dims = facts.of(node.outputs[0]).dims; dims.has_value()) {
    if (const auto target = reshape_target(*dims); target.has_value()) {
      return target;
    }
  }
  const Tensor* shape = node.op_type == "Reshape" ? graph.constant(node.input(1)) : nullptr;
  if (shape == nullptr) {
    return std::nullopt;
  }
  std::vector<Index> target = shape->to_indices();
  const bool copies = std::find(target.begin(), target.end(), 0) != target.end();
  return copies ? std::nullopt : std::optional(std::move(target));
}

}  // namespace

Result<Index> merge_reshapes(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(graph, [&](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    Node node = g.nodes[i];
    const Index maker = is_view(g, node) ? index.producer(node.input(0)) : -1;
    if (maker < 0 || !is_view(g, g.nodes[static_cast<std::size_t>(maker)])) {
      return false;
    }
    const auto target = target_of(g, facts, node);
    if (!target.has_value()) {
      return false;
    }
    make_reshape(g, node, g.nodes[static_cast<std::size_t>(maker)].input(0), *target);
    node.origin = "merge_reshapes";
    g.nodes[i] = std::move(node);
    return true;
  });
}

}  // namespace assay::passes
