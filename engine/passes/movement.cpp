// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/movement.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::passes {
namespace {

struct MovementRow {
  std::string_view op_type;
  Index first_opset = 1;  // the first that takes int8 and uint8
  bool propagates = false;
};

constexpr std::array<MovementRow, 16> kMovements = {{
    {.op_type = "DepthToSpace", .propagates = true},
    {.op_type = "Expand", .first_opset = 8},
    {.op_type = "Flatten", .first_opset = 9, .propagates = true},
    {.op_type = "Gather"},
    {.op_type = "GatherElements", .first_opset = 11},
    {.op_type = "MaxPool", .first_opset = 12, .propagates = true},
    {.op_type = "ReduceMax", .first_opset = 12},
    {.op_type = "ReduceMin", .first_opset = 12},
    {.op_type = "Reshape", .first_opset = 5, .propagates = true},
    {.op_type = "Resize", .first_opset = 10},
    {.op_type = "Slice", .propagates = true},
    {.op_type = "SpaceToDepth", .propagates = true},
    {.op_type = "Squeeze", .propagates = true},
    {.op_type = "Tile", .first_opset = 6},
    {.op_type = "Transpose", .propagates = true},
    {.op_type = "Unsqueeze", .propagates = true},
}};

// Every element of the result is one of the input.
bool only_picks(const Node& node) {
  return node.op_type != "Resize" ||
         (node.string_attribute("mode", "nearest") == "nearest" &&
          node.string_attribute("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize");
}

const MovementRow* find_row(const Graph& graph, const Node& node) {
  const auto* const row = std::find_if(kMovements.begin(), kMovements.end(),
                                       [&](const MovementRow& entry) { return entry.op_type == node.op_type; });
  const bool fits = row != kMovements.end() && node.domain.empty() && node.outputs.size() == 1 &&
                    graph.opset() >= row->first_opset && only_picks(node);
  return fits ? row : nullptr;
}

}  // namespace

bool is_movement(const Graph& graph, const Node& node) { return find_row(graph, node) != nullptr; }

bool is_propagated_movement(const Graph& graph, const Node& node) {
  const MovementRow* row = find_row(graph, node);
  return row != nullptr && row->propagates;
}

}  // namespace assay::passes
