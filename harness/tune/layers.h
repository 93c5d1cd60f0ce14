// SPDX-License-Identifier: Apache-2.0
// What can be left in float on its own.
#pragma once

#include <string>
#include <vector>

#include "engine/api/quantize.h"

namespace assay::tune {

struct Layer {
  std::string node;  // that computes
  std::string op_type;
  std::vector<std::string> clamps;  // Relu and Clip behind it that follow it into integers or float
};

// The quantized nodes of a model that do more than follow the node in front of them, in the graph's order.
std::vector<Layer> layers_of(const Graph& graph, const std::vector<api::NodeDecision>& decisions);

// Bytes of a model's constants in a file.
Index parameter_bytes(const Graph& graph);

}  // namespace assay::tune
