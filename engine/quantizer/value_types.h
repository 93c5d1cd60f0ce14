// SPDX-License-Identifier: Apache-2.0
// Element types of a float model's values, as far as they matter to the quantizer: which are float.
#pragma once

#include <map>
#include <string>

#include "engine/ir/graph.h"

namespace assay::quantizer {

// Per value: what the file states, else what the operator says (ArgMax makes int64, comparisons bool, Cast its `to`),
// else the type of the producing node's first input.
using ValueTypes = std::map<std::string, DType>;
ValueTypes value_types(const Graph& graph);

inline bool is_real(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat16; }

}  // namespace assay::quantizer
