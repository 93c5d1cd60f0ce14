// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/clamp_match.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

// Which input of an integer product is the output's zero point; null for other operators.
std::optional<std::size_t> zero_point_input(const Node& node) {
  const bool standard = node.domain.empty() || node.domain == kAssayDomain;
  if (standard && (node.op_type == "QLinearConv" || node.op_type == "QLinearMatMul")) {
    return 7;
  }
  if ((node.domain == kMicrosoftDomain || node.domain == kAssayDomain) && node.op_type == "QGemm") {
    return 8;
  }
  return std::nullopt;
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  Node& node = graph.nodes[i];
  const auto zero_point_position = zero_point_input(node);
  if (!zero_point_position.has_value() || !is_used_once(graph, index, node.outputs[0])) {
    return false;
  }
  // The zero point's type is the output's; a QGemm without one makes float32.
  const Tensor* zero_point = graph.constant(node.input(*zero_point_position));
  const auto position = static_cast<std::size_t>(index.consumers(node.outputs[0]).front());
  const Node& clamp = graph.nodes[position];
  if (zero_point == nullptr || !is_8bit(zero_point->dtype()) || clamp.input(0) != node.outputs[0]) {
    return false;
  }
  const auto range = match_integer_clamp(graph, clamp, zero_point->dtype());
  if (!range.has_value()) {
    return false;
  }
  const IntegerRange type_range = dtype_integer_range(zero_point->dtype());
  const IntegerRange before = {.min = node.int_attribute("clamp_min", type_range.min),
                               .max = node.int_attribute("clamp_max", type_range.max)};
  const IntegerRange both = compose(before, *range);
  node.outputs[0] = clamp.outputs[0];
  if (!is_full_range(both, zero_point->dtype())) {
    set_clamp(graph, node, both);
  }
  node.origin = "fuse_integer_clamp";
  erase_nodes(graph, {position});
  return true;
}

}  // namespace

Result<Index> fuse_integer_clamp(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
