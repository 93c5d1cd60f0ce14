// SPDX-License-Identifier: Apache-2.0
// Nodes that together compute one value from one other value and constants.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

struct ValueChain {
  std::set<std::size_t> nodes;  // positions; in ascending order they are sorted
  std::string source;
};

// The inputs of a node through which its operands come, constants perhaps among them; none where it is no part of a
// chain.
using ChainOperands = std::function<std::optional<std::vector<std::size_t>>(const Node&)>;

// The longest chain of 2 to `most` nodes that ends in the node at `last`: nothing else reads a value between its nodes.
std::optional<ValueChain> longest_chain(const Graph& graph, const ValueIndex& index, std::size_t last, std::size_t most,
                                        const ChainOperands& operands);

// Tries a rewrite at every node once, the last first, so that the end of a chain comes before its parts. It may replace
// that node and leave dead ones before it, no other. The number of changes.
Index rewrite_from_last(Graph& graph, ValueIndex& index, const std::function<bool(std::size_t node)>& rewrite);

}  // namespace assay::passes
