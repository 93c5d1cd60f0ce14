// SPDX-License-Identifier: Apache-2.0
// Element types of a float model's values, as far as they matter to the quantizer: which are float.
#pragma once

#include <map>
#include <string>

#include "engine/ir/graph.h"

namespace assay::quantizer {

// Per value: what the file states, else what the operator says (ArgMax makes int64, comparisons bool, Cast its `to`,
// If, Loop and Scan what their subgraphs make), else the type of the producing node's first input.
using ValueTypes = std::map<std::string, DType>;
ValueTypes value_types(const Graph& graph);

// A subgraph of `node` with the types of its inputs, as far as those of the node's own inputs say: captures have the
// type of what they capture, inputs of a Loop's or Scan's body that of what is handed to them.
Graph typed_subgraph(const Graph& subgraph, const Node& node, const ValueTypes& types);

inline bool is_real(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat16; }

}  // namespace assay::quantizer
