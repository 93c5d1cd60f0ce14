// SPDX-License-Identifier: Apache-2.0
// One node on constant inputs, for constant folding.
#pragma once

#include <vector>

#include "engine/ir/graph.h"

namespace assay::runtime {

// Computes `node` of `graph` in the profile scalar/exact. `inputs` are as in the node; an omitted one is empty().
// Errors: as build_plan and execute.
Result<std::vector<Tensor>> evaluate_node(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs);

}  // namespace assay::runtime
