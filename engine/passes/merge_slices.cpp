// SPDX-License-Identifier: Apache-2.0
// A Slice of a Slice along other axes is one Slice.
#include <algorithm>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr Index kFirstOpsetOfInputs = 10;

struct ConstantSlice {
  std::vector<Index> starts;
  std::vector<Index> ends;
  std::vector<Index> axes;
  std::vector<Index> steps;
};

std::optional<std::vector<Index>> constant_list(const Graph& graph, const std::string& value) {
  const Tensor* tensor = graph.constant(value);
  return tensor == nullptr ? std::nullopt : std::optional(tensor->to_indices());
}

// A Slice with constant operands along axes counted from the front.
std::optional<ConstantSlice> match_slice(const Graph& graph, const Node& node) {
  if (node.op_type != "Slice" || !node.domain.empty() || graph.opset() < kFirstOpsetOfInputs) {
    return std::nullopt;
  }
  const auto starts = constant_list(graph, node.input(1));
  const auto ends = constant_list(graph, node.input(2));
  const auto axes = constant_list(graph, node.input(3));
  const auto steps = constant_list(graph, node.input(4));
  if (!starts || !ends || (!node.input(3).empty() && !axes) || (!node.input(4).empty() && !steps)) {
    return std::nullopt;
  }
  ConstantSlice slice{.starts = *starts, .ends = *ends, .axes = axes.value_or(std::vector<Index>()), .steps = {}};
  for (std::size_t i = 0; i < starts->size() && !axes; ++i) {
    slice.axes.push_back(static_cast<Index>(i));
  }
  slice.steps = steps.value_or(std::vector<Index>(starts->size(), 1));
  const bool fits = slice.ends.size() == starts->size() && slice.axes.size() == starts->size() &&
                    slice.steps.size() == starts->size();
  const bool from_front = std::all_of(slice.axes.begin(), slice.axes.end(), [](Index axis) { return axis >= 0; });
  return fits && from_front ? std::optional(std::move(slice)) : std::nullopt;
}

bool share_an_axis(const ConstantSlice& a, const ConstantSlice& b) {
  return std::any_of(a.axes.begin(), a.axes.end(),
                     [&](Index axis) { return std::find(b.axes.begin(), b.axes.end(), axis) != b.axes.end(); });
}

void append(std::vector<Index>& list, const std::vector<Index>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

Result<bool> merge_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  const auto second = match_slice(graph, node);
  const Index maker = second.has_value() ? index.producer(node.input(0)) : -1;
  if (maker < 0 || !is_used_once(graph, index, node.input(0))) {
    return false;
  }
  auto merged = match_slice(graph, graph.nodes[static_cast<std::size_t>(maker)]);
  if (!merged.has_value() || share_an_axis(*merged, *second)) {
    return false;
  }
  append(merged->starts, second->starts);
  append(merged->ends, second->ends);
  append(merged->axes, second->axes);
  append(merged->steps, second->steps);
  const Shape shape = {static_cast<Index>(merged->starts.size())};
  const std::string base = node.outputs[0];
  std::vector<std::string> inputs = {graph.nodes[static_cast<std::size_t>(maker)].input(0)};
  inputs.push_back(add_initializer(graph, base + "_starts", Tensor::from(shape, merged->starts)));
  inputs.push_back(add_initializer(graph, base + "_ends", Tensor::from(shape, merged->ends)));
  inputs.push_back(add_initializer(graph, base + "_axes", Tensor::from(shape, merged->axes)));
  inputs.push_back(add_initializer(graph, base + "_steps", Tensor::from(shape, merged->steps)));
  graph.nodes[i].inputs = std::move(inputs);
  graph.nodes[i].origin = "merge_slices";
  return true;
}

}  // namespace

Result<Index> merge_slices(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, merge_at);
}

}  // namespace assay::passes
