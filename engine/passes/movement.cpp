// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/movement.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::passes {
namespace {

struct MovementRow {
  std::string_view op_type;
  Index first_opset;  // the first that takes int8 and uint8
};

constexpr std::array<MovementRow, 6> kMovements = {{
    {"MaxPool", 12},
    {"Reshape", 5},
    {"Transpose", 1},
    {"Flatten", 9},
    {"Squeeze", 1},
    {"Unsqueeze", 1},
}};

}  // namespace

bool is_movement(const Graph& graph, const Node& node) {
  return node.domain.empty() && node.outputs.size() == 1 &&
         std::any_of(kMovements.begin(), kMovements.end(), [&](const MovementRow& row) {
           return row.op_type == node.op_type && graph.opset() >= row.first_opset;
         });
}

}  // namespace assay::passes
