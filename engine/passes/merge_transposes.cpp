// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/transpose_match.h"

namespace assay::passes {
namespace {

Result<bool> merge_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const auto second = match_transpose(graph.nodes[i]);
  const Index maker = second.has_value() ? index.producer(graph.nodes[i].input(0)) : -1;
  if (maker < 0) {
    return false;
  }
  const Node& before = graph.nodes[static_cast<std::size_t>(maker)];
  const auto first = match_transpose(before);
  if (!first.has_value() || first->size() != second->size()) {
    return false;
  }
  const Permutation both = compose(*first, *second);
  const std::string source = before.input(0);
  const std::string output = graph.nodes[i].outputs[0];
  if (is_identity(both)) {
    return forward_value(graph, index, output, source);
  }
  graph.nodes[i].inputs[0] = source;
  graph.nodes[i].attributes["perm"] = both;
  graph.nodes[i].origin = "merge_transposes";
  return true;
}

}  // namespace

Result<Index> merge_transposes(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, merge_at);
}

}  // namespace assay::passes
