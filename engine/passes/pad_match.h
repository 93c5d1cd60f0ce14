// SPDX-License-Identifier: Apache-2.0
// Pad nodes that an operator's own padding can stand for.
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::passes {

struct ConstantPad {
  std::vector<Index> pads;  // of every dimension: begins, then ends
  double value = 0;
};

// A Pad of the mode constant by constant amounts, none below 0.
std::optional<ConstantPad> match_pad(const Graph& graph, const Node& node);

// The amounts of the spatial dimensions, if the others have none.
std::optional<std::vector<Index>> spatial_pads(const std::vector<Index>& pads, std::size_t spatial);

}  // namespace assay::passes
