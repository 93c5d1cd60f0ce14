// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/unary_group.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_qdq_pool";

// QLinearAveragePool has no dilations.
bool is_dilated(const Node& node) {
  const std::vector<Index> dilations = node.ints_attribute("dilations");
  return std::any_of(dilations.begin(), dilations.end(), [](Index dilation) { return dilation != 1; });
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  if (!node.domain.empty()) {
    return false;
  }
  if (node.op_type == "GlobalAveragePool") {
    return fuse_unary_group(graph, index,
                            {.position = i,
                             .op_type = "QLinearGlobalAveragePool",
                             .attributes = {{"channels_last", Index{0}}},
                             .pass = kName});
  }
  if (node.op_type == "AveragePool" && !is_dilated(node)) {
    AttributeMap attributes = node.attributes;
    attributes.erase("dilations");
    return fuse_unary_group(
        graph, index,
        {.position = i, .op_type = "QLinearAveragePool", .attributes = std::move(attributes), .pass = kName});
  }
  return false;
}

}  // namespace

Result<Index> fuse_qdq_pool(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
