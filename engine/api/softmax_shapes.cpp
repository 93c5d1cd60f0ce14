// SPDX-License-Identifier: Apache-2.0
#include "engine/api/softmax_shapes.h"

#include <algorithm>
#include <optional>

#include "engine/passes/value_facts.h"

namespace assay::api {
namespace {

constexpr Index kOneAxisSince = 13;

bool is_softmax(const Node& node) { return node.domain.empty() && node.op_type == "Softmax"; }

}  // namespace

void state_softmax_shapes(Graph& graph) {
  if (graph.opset() >= kOneAxisSince || std::none_of(graph.nodes.begin(), graph.nodes.end(), is_softmax)) {
    return;
  }
  const passes::FactTable facts(graph, true);
  for (const Node& node : graph.nodes) {
    if (!is_softmax(node) || graph.is_input(node.input(0))) {
      continue;
    }
    const passes::ValueFacts& known = facts.of(node.input(0));
    const auto stated = graph.value_infos.find(node.input(0));
    if (known.dims && (stated == graph.value_infos.end() || !stated->second.has_shape)) {
      ValueInfo& info = graph.value_infos[node.input(0)];
      info.name = node.input(0);
      info.dtype = known.dtype == DType::kUndefined ? info.dtype : known.dtype;
      info.has_shape = true;
      info.dims = *known.dims;
    }
  }
}

}  // namespace assay::api
