// SPDX-License-Identifier: Apache-2.0
// How much of a model's work each node does.
#pragma once

#include <map>
#include <string>

#include "engine/api/session.h"

namespace assay::tune {

// Multiply-accumulates of Conv, ConvTranspose, Gemm and MatMul on these inputs, by node name; other nodes are left out.
Result<std::map<std::string, double>> node_costs(const api::Session& session, const Graph& graph,
                                                 const api::NamedTensors& inputs);

}  // namespace assay::tune
