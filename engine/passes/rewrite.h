// SPDX-License-Identifier: Apache-2.0
// What every rewrite needs: the loop over the nodes, and edits that keep the graph sorted.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

// Tries one rewrite at a node; says whether it changed the graph. It keeps the order of nodes sorted and may leave dead
// nodes behind.
using Rewrite = std::function<Result<bool>(Graph& graph, const ValueIndex& index, std::size_t node)>;

// Tries every node again and again until nothing changes, removing dead nodes after each change. The number of changes.
Result<Index> rewrite_until_stable(Graph& graph, const Rewrite& rewrite);

// Whether exactly one node input reads the value and no graph output shows it, so that it may vanish.
bool is_used_once(const Graph& graph, const ValueIndex& index, const std::string& value);

// Adds a constant under `base` or a fresh name like it; its name.
std::string add_initializer(Graph& graph, const std::string& base, Tensor tensor);

// Removes nodes by position.
void erase_nodes(Graph& graph, std::vector<std::size_t> positions);

// Makes every use of `from`, graph outputs included, see `to`, so that the maker of `from` is dead. False, without a
// change, where a graph output keeps both names apart (`to` is a graph input, a constant or a graph output itself).
bool forward_value(Graph& graph, const ValueIndex& index, const std::string& from, const std::string& to);

// Imports version 1 of one of the engine's own domains, unless it is imported.
void import_domain(Graph& graph, const std::string& domain);

}  // namespace assay::passes
