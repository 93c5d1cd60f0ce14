// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/unary_group.h"

namespace assay::passes {
namespace {

constexpr const char* kName = "fuse_qdq_unary";
constexpr float kDefaultAlpha = 0.01F;
constexpr Index kFirstOpsetOfOneAxis = 13;  // before it Softmax flattens from the axis on

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& node = graph.nodes[i];
  if (!node.domain.empty()) {
    return false;
  }
  if (node.op_type == "Sigmoid") {
    return fuse_unary_group(graph, index,
                            {.position = i, .op_type = "QLinearSigmoid", .attributes = {}, .pass = kName});
  }
  if (node.op_type == "LeakyRelu") {
    return fuse_unary_group(graph, index,
                            {.position = i,
                             .op_type = "QLinearLeakyRelu",
                             .attributes = {{"alpha", node.float_attribute("alpha", kDefaultAlpha)}},
                             .pass = kName});
  }
  if (node.op_type == "Softmax") {
    const Index opset = graph.opset();
    const Index axis = node.int_attribute("axis", opset < kFirstOpsetOfOneAxis ? 1 : -1);
    return fuse_unary_group(
        graph, index,
        {.position = i, .op_type = "QLinearSoftmax", .attributes = {{"axis", axis}, {"opset", opset}}, .pass = kName});
  }
  return false;
}

}  // namespace

Result<Index> fuse_qdq_unary(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
