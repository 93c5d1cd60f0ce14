// SPDX-License-Identifier: Apache-2.0
// Sizes that are certain before a run (see value_facts.h) become constants:
//   - a node that computes them, as Shape, Size and the Gather, Concat and arithmetic behind them;
//   - the target of a Reshape, with -1 in the one place that is open.
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "shape_folding";

// The elements as a tensor of their type and rank.
Tensor sizes_tensor(const ValueFacts& facts) {
  const Shape shape = facts.dims->empty() ? Shape{} : Shape{static_cast<Index>(facts.elements->size())};
  std::vector<Index> sizes;
  for (const Dim& element : *facts.elements) {
    sizes.push_back(element.size);
  }
  if (facts.dtype == DType::kInt32) {
    return Tensor::from(shape, std::vector<std::int32_t>(sizes.begin(), sizes.end()));
  }
  return Tensor::from(shape, sizes);
}

bool is_certain(const ValueFacts& facts) {
  const bool is_integer = facts.dtype == DType::kInt64 || facts.dtype == DType::kInt32;
  return is_integer && facts.elements.has_value() && facts.dims.has_value() && facts.dims->size() <= 1 &&
         (!facts.dims->empty() || facts.elements->size() == 1) &&
         std::all_of(facts.elements->begin(), facts.elements->end(), [](const Dim& dim) { return dim.known(); });
}

bool fold_node(Graph& graph, const FactTable& facts, std::size_t i) {
  const Node& node = graph.nodes[i];
  if (node.outputs.size() != 1 || !is_certain(facts.of(node.outputs[0]))) {
    return false;
  }
  graph.initializers[node.outputs[0]] = sizes_tensor(facts.of(node.outputs[0]));
  erase_nodes(graph, {i});
  return true;
}

bool fold_target(Graph& graph, const FactTable& facts, std::size_t i) {
  Node& node = graph.nodes[i];
  const auto& elements = facts.of(node.input(1)).elements;
  if (node.op_type != "Reshape" || !node.domain.empty() || !elements.has_value() ||
      graph.constant(node.input(1)) != nullptr) {
    return false;
  }
  const auto target = reshape_target(*elements);
  if (!target.has_value()) {
    return false;
  }
  const auto count = static_cast<Index>(target->size());
  node.inputs[1] = add_initializer(graph, node.outputs[0] + "_shape", Tensor::from({count}, *target));
  node.origin = kName;
  return true;
}

}  // namespace

Result<Index> shape_folding(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(graph, [&](Graph& g, const ValueIndex&, std::size_t i) -> Result<bool> {
    return fold_node(g, facts, i) || fold_target(g, facts, i);
  });
}

}  // namespace assay::passes
