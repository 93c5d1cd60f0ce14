// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr Index kFirstOpsetOfInference = 7;  // before it the attribute is_test says whether values are dropped
constexpr Index kFirstOpsetOfTrainingMode = 12;

bool is_constant_zero(const Graph& graph, const std::string& value) {
  const Tensor* constant = graph.constant(value);
  return constant != nullptr && constant->size() == 1 && constant->to_doubles()[0] == 0;
}

bool keeps_everything(const Graph& graph, const Node& node) {
  const Index opset = graph.opset();
  if (opset < kFirstOpsetOfInference) {
    return node.int_attribute("is_test", 0) != 0;
  }
  return opset < kFirstOpsetOfTrainingMode || node.input(2).empty() || is_constant_zero(graph, node.input(2)) ||
         is_constant_zero(graph, node.input(1));
}

bool is_read(const Graph& graph, const ValueIndex& index, const std::string& value) {
  return !value.empty() && (index.consumer_count(value) > 0 || graph.is_output(value));
}

}  // namespace

Result<Index> eliminate_dropout(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, [](Graph& g, const ValueIndex& index, std::size_t i) -> Result<bool> {
    const Node node = g.nodes[i];
    if (node.op_type != "Dropout" || !node.domain.empty() || !keeps_everything(g, node) ||
        (node.outputs.size() > 1 && is_read(g, index, node.outputs[1]))) {
      return false;
    }
    return forward_value(g, index, node.outputs[0], node.inputs[0]);
  });
}

}  // namespace assay::passes
