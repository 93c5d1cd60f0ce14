// SPDX-License-Identifier: Apache-2.0
// Pad in front of an operator that pads by itself: zeros before Conv, zeros before an AveragePool that counts its
// padding or has none, -infinity before MaxPool.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/pad_match.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

bool is_zero(const std::vector<Index>& pads) {
  return std::all_of(pads.begin(), pads.end(), [](Index amount) { return amount == 0; });
}

// Whether the operator's own padding is what the Pad puts there; a pooling also wants every window to meet the input.
bool accepts(const Graph& graph, const Node& node, const ConstantPad& pad, const std::vector<Index>& sum) {
  if (node.op_type == "Conv") {
    const Tensor* weight = graph.constant(node.input(1));
    return pad.value == 0 && weight != nullptr && weight->dtype() == DType::kFloat32;
  }
  const std::vector<Index> kernel = node.ints_attribute("kernel_shape");
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] >= kernel[i % kernel.size()]) {
      return false;
    }
  }
  if (node.int_attribute("ceil_mode", 0) != 0 || node.outputs.size() != 1) {
    return false;
  }
  if (node.op_type == "MaxPool") {
    return pad.value == -std::numeric_limits<double>::infinity();
  }
  const bool counts = node.int_attribute("count_include_pad", 0) != 0;
  return node.op_type == "AveragePool" && pad.value == 0 && (counts || is_zero(node.ints_attribute("pads")));
}

bool is_candidate(const Node& node) {
  return node.domain.empty() &&
         (node.op_type == "Conv" || node.op_type == "MaxPool" || node.op_type == "AveragePool") &&
         node.string_attribute("auto_pad", "NOTSET") == "NOTSET";
}

std::size_t spatial_rank(const Graph& graph, const Node& node) {
  const Tensor* weight = node.op_type == "Conv" ? graph.constant(node.input(1)) : nullptr;
  return weight == nullptr ? node.ints_attribute("kernel_shape").size()
                           : weight->rank() - std::min<std::size_t>(2, weight->rank());
}

Result<bool> fold_at(Graph& graph, const ValueIndex& index, const FactTable& facts, std::size_t i) {
  const Node& node = graph.nodes[i];
  const Index maker = is_candidate(node) ? index.producer(node.input(0)) : -1;
  if (maker < 0 || !is_used_once(graph, index, node.input(0))) {
    return false;
  }
  const Node& before = graph.nodes[static_cast<std::size_t>(maker)];
  const auto pad = match_pad(graph, before);
  const std::size_t spatial = spatial_rank(graph, node);
  const auto added = pad.has_value() && spatial > 0 ? spatial_pads(pad->pads, spatial) : std::nullopt;
  if (!added.has_value() || !facts.is_float(before.input(0))) {
    return false;
  }
  std::vector<Index> sum = *added;
  const std::vector<Index> own = node.ints_attribute("pads");
  for (std::size_t j = 0; j < own.size() && j < sum.size(); ++j) {
    sum[j] += own[j];
  }
  if (!accepts(graph, node, *pad, sum)) {
    return false;
  }
  Node folded = node;
  folded.inputs[0] = before.input(0);
  folded.attributes["pads"] = sum;
  if (node.op_type == "AveragePool") {
    folded.attributes["count_include_pad"] = Index{1};
  }
  folded.origin = "fold_pad";
  graph.nodes[i] = std::move(folded);
  return true;
}

}  // namespace

Result<Index> fold_pad(Graph& graph, const PassContext& context) {
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(
      graph, [&](Graph& g, const ValueIndex& index, std::size_t i) { return fold_at(g, index, facts, i); });
}

}  // namespace assay::passes
