// SPDX-License-Identifier: Apache-2.0
// Pad with the zero point before QLinearConv: QLinearConv's own padding is the real 0 too.
#include "engine/passes/all_passes.h"
#include "engine/passes/pad_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

bool is_candidate(const Node& node) {
  return (node.domain.empty() || node.domain == kAssayDomain) && node.op_type == "QLinearConv" &&
         node.string_attribute("auto_pad", "NOTSET") == "NOTSET";
}

Result<bool> fold_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  Node& node = graph.nodes[i];
  const Index maker = is_candidate(node) ? index.producer(node.input(0)) : -1;
  if (maker < 0 || !is_used_once(graph, index, node.input(0))) {
    return false;
  }
  const Node& before = graph.nodes[static_cast<std::size_t>(maker)];
  const auto pad = match_pad(graph, before);
  const Tensor* zero_point = graph.constant(node.input(2));
  const Tensor* weight = graph.constant(node.input(3));
  if (!pad.has_value() || zero_point == nullptr || zero_point->size() != 1 || weight == nullptr || weight->rank() < 3 ||
      pad->value != zero_point->to_doubles()[0]) {
    return false;
  }
  const auto added = spatial_pads(pad->pads, weight->rank() - 2);
  if (!added.has_value()) {
    return false;
  }
  std::vector<Index> sum = *added;
  const std::vector<Index> own = node.ints_attribute("pads");
  for (std::size_t j = 0; j < own.size() && j < sum.size(); ++j) {
    sum[j] += own[j];
  }
  node.inputs[0] = before.input(0);
  node.attributes["pads"] = sum;
  node.origin = "fold_integer_pad";
  return true;
}

}  // namespace

Result<Index> fold_integer_pad(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fold_at);
}

}  // namespace assay::passes
