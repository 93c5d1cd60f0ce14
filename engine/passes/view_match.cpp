// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/view_match.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr Index kFirstOpsetOfShapeInput = 5;
constexpr std::array<std::string_view, 4> kViews = {"Flatten", "Reshape", "Squeeze", "Unsqueeze"};

}  // namespace

bool is_view(const Graph& graph, const Node& node) {
  return node.domain.empty() && graph.opset() >= kFirstOpsetOfShapeInput &&
         std::find(kViews.begin(), kViews.end(), node.op_type) != kViews.end();
}

void make_reshape(Graph& graph, Node& node, const std::string& data, const std::vector<Index>& target) {
  const auto count = static_cast<Index>(target.size());
  const std::string shape = add_initializer(graph, node.outputs[0] + "_shape", Tensor::from({count}, target));
  node.op_type = "Reshape";
  node.attributes.clear();
  node.inputs = {data, shape};
}

}  // namespace assay::passes
