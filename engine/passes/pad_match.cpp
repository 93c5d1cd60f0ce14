// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/pad_match.h"

#include <algorithm>

namespace assay::passes {
namespace {

constexpr Index kFirstOpsetOfInputs = 11;

}  // namespace

std::optional<ConstantPad> match_pad(const Graph& graph, const Node& node) {
  if (node.op_type != "Pad" || !node.domain.empty() || node.string_attribute("mode", "constant") != "constant") {
    return std::nullopt;
  }
  ConstantPad pad;
  if (graph.opset() < kFirstOpsetOfInputs) {
    pad.pads = node.ints_attribute("pads");
    pad.value = static_cast<double>(node.float_attribute("value", 0));
  } else {
    const Tensor* pads = graph.constant(node.input(1));
    const Tensor* value = graph.constant(node.input(2));
    if (pads == nullptr || !node.input(3).empty() ||
        (!node.input(2).empty() && (value == nullptr || value->size() != 1))) {
      return std::nullopt;
    }
    pad.pads = pads->to_indices();
    pad.value = value == nullptr ? 0 : value->to_doubles()[0];
  }
  const bool adds = std::all_of(pad.pads.begin(), pad.pads.end(), [](Index amount) { return amount >= 0; });
  return adds ? std::optional(std::move(pad)) : std::nullopt;
}

std::optional<std::vector<Index>> spatial_pads(const std::vector<Index>& pads, std::size_t spatial) {
  const std::size_t rank = spatial + 2;
  if (pads.size() != 2 * rank || pads[0] != 0 || pads[1] != 0 || pads[rank] != 0 || pads[rank + 1] != 0) {
    return std::nullopt;
  }
  std::vector<Index> out(pads.begin() + 2, pads.begin() + static_cast<std::ptrdiff_t>(rank));
  out.insert(out.end(), pads.begin() + static_cast<std::ptrdiff_t>(rank) + 2, pads.end());
  return out;
}

}  // namespace assay::passes
