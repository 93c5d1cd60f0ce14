// SPDX-License-Identifier: Apache-2.0
// Transpose nodes and their permutations: output dimension i is input dimension perm[i].
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::passes {

using Permutation = std::vector<Index>;

// The permutation of a Transpose that states it.
std::optional<Permutation> match_transpose(const Node& node);

// `second` after `first`.
Permutation compose(const Permutation& first, const Permutation& second);
Permutation inverse(const Permutation& perm);
bool is_identity(const Permutation& perm);

// A function of single elements with one operand that varies: unary operators, and Clip.
bool is_elementwise_unary(const Node& node);
// Add, Sub, Mul, Div, Max, Min, Pow of two operands.
bool is_elementwise_binary(const Node& node);

}  // namespace assay::passes
