// SPDX-License-Identifier: Apache-2.0
// Operators that give the same elements in the same order another shape.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::passes {

// Reshape (opset 5 on, where the shape is an input), Flatten, Squeeze, Unsqueeze.
bool is_view(const Graph& graph, const Node& node);

// Makes `node` a Reshape of `data` to a constant shape, in which -1 is computed and 0 does not stand.
void make_reshape(Graph& graph, Node& node, const std::string& data, const std::vector<Index>& target);

}  // namespace assay::passes
