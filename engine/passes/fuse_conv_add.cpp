// SPDX-License-Identifier: Apache-2.0
// Conv -> Add of another value of its result's shape becomes FusedConv, which adds before it writes.
#include "engine/passes/all_passes.h"
#include "engine/passes/conv_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, const FactTable& facts, std::size_t i) {
  const Node& conv = graph.nodes[i];
  if (!conv.domain.empty() || !is_open_conv(graph, index, conv)) {
    return false;
  }
  const std::string& sum = conv.outputs[0];
  const auto position = static_cast<std::size_t>(index.consumers(sum).front());
  const Node& add = graph.nodes[position];
  if (add.op_type != "Add" || !add.domain.empty() || add.inputs.size() != 2) {
    return false;
  }
  const std::string& other = add.inputs[add.inputs[0] == sum ? 1 : 0];
  if (graph.constant(other) != nullptr || !facts.is_float(other) || !same_dims(facts.of(other), facts.of(sum))) {
    return false;
  }
  Node fused = as_fused_conv(graph, conv, "fuse_conv_add");
  fused.inputs.resize(3);
  fused.inputs.push_back(other);
  fused.outputs = add.outputs;
  graph.nodes[position] = std::move(fused);  // behind what makes the other value
  erase_nodes(graph, {i});
  return true;
}

}  // namespace

Result<Index> fuse_conv_add(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(
      graph, [&](Graph& g, const ValueIndex& index, std::size_t i) { return fuse_at(g, index, facts, i); });
}

}  // namespace assay::passes
