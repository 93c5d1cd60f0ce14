// SPDX-License-Identifier: Apache-2.0
// Nodes of two models, paired by name, else by their first output.
#pragma once

#include "harness/diff/model_diff.h"

namespace assay::diff {

// Pairs of positions in `before` and `after`; kNone where a node has no partner. In the order of `before`, then what is
// left of `after`.
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);
std::vector<std::pair<std::size_t, std::size_t>> pair_nodes(const std::vector<api::StatedNode>& before,
                                                            const std::vector<api::StatedNode>& after);

// Nothing where the two compute the same from the same values. An attribute that says what its absence says makes no
// difference.
std::optional<NodeDiff> compare_node(const api::StatedNode* before, const api::StatedNode* after);

}  // namespace assay::diff
