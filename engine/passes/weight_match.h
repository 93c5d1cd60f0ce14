// SPDX-License-Identifier: Apache-2.0
// The second operand of an integer product.
#pragma once

#include <optional>
#include <string>

#include "engine/ir/graph.h"
#include "engine/passes/qdq_match.h"
#include "engine/passes/value_index.h"

namespace assay::passes {

// The DequantizeLinear of 8-bit integers behind `value`, per tensor or, for a constant, per channel along `axis`
// (negative: from the back) with one usable scale each.
std::optional<Quantization> match_weight(const Graph& graph, const ValueIndex& index, const std::string& value,
                                         Index axis);

}  // namespace assay::passes
