// SPDX-License-Identifier: Apache-2.0
// What an operator says about its outputs, one row per operator. Operators without a row say nothing.
#pragma once

#include <span>
#include <string_view>

#include "engine/passes/value_facts.h"

namespace assay::passes {

struct FactContext {
  const Graph& graph;
  const Node& node;
  std::vector<ValueFacts> inputs;  // as in the node; nothing is known of an omitted one

  const ValueFacts& input(std::size_t i) const;
  // The constant behind input i, or null.
  const Tensor* constant(std::size_t i) const { return graph.constant(node.input(i)); }
  // A list that is an attribute in old opsets and an input in newer ones. Null where it is left out or not constant.
  std::optional<std::vector<Index>> list(const char* attribute, std::size_t input) const;
};

using Facts = std::vector<ValueFacts>;  // one per output of the node

struct FactRule {
  std::string_view op_type;  // of ai.onnx
  void (*infer)(const FactContext& context, Facts& outputs);
};

std::span<const FactRule> elementwise_fact_rules();
std::span<const FactRule> layer_fact_rules();
std::span<const FactRule> shape_fact_rules();

inline std::optional<std::size_t> checked_axis(Index axis, std::size_t rank) {
  const auto size = static_cast<Index>(rank);
  return axis < -size || axis >= size ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(axis < 0 ? axis + size : axis));
}

inline Dim known_dim(Index size) { return {.size = size, .name = ""}; }

}  // namespace assay::passes
