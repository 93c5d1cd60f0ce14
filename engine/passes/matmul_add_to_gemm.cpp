// SPDX-License-Identifier: Apache-2.0
// MatMul of two matrices plus a constant row becomes Gemm, which adds it as it writes the product.
#include <algorithm>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"
#include "engine/passes/value_facts.h"

namespace assay::passes {
namespace {

bool is_matrix(const FactTable& facts, const std::string& value) {
  return facts.is_float(value) && facts.of(value).rank() == 2;
}

// A constant [N], [1,N] or a single element, which changes no shape.
bool is_row(const Graph& graph, const std::string& value, const Dim& columns) {
  const Tensor* tensor = graph.constant(value);
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->rank() > 2 || tensor->size() == 0) {
    return false;
  }
  return tensor->size() == 1 ||
         (columns.known() && tensor->size() == columns.size && tensor->shape().back() == columns.size);
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, const FactTable& facts, std::size_t i) {
  const Node& product = graph.nodes[i];
  if (product.op_type != "MatMul" || !product.domain.empty() || !is_used_once(graph, index, product.outputs[0]) ||
      !is_matrix(facts, product.input(0)) || !is_matrix(facts, product.input(1))) {
    return false;
  }
  const auto position = static_cast<std::size_t>(index.consumers(product.outputs[0]).front());
  const Node& add = graph.nodes[position];
  if (add.op_type != "Add" || !add.domain.empty() || add.inputs.size() != 2) {
    return false;
  }
  const std::string& bias = add.inputs[add.inputs[0] == product.outputs[0] ? 1 : 0];
  if (!is_row(graph, bias, facts.of(product.input(1)).dims->back())) {
    return false;
  }
  Node gemm = product;
  gemm.op_type = "Gemm";
  gemm.inputs.push_back(bias);
  gemm.outputs = add.outputs;
  gemm.origin = "matmul_add_to_gemm";
  graph.nodes[i] = std::move(gemm);
  erase_nodes(graph, {position});
  return true;
}

}  // namespace

Result<Index> matmul_add_to_gemm(Graph& graph, const PassContext& context) {
  constexpr Index kFirstOpset = 7;  // before it Gemm broadcasts C only by an attribute
  if (graph.opset() < kFirstOpset) {
    return Index{0};
  }
  const FactTable facts(graph, context.inputs_checked);
  return rewrite_until_stable(
      graph, [&](Graph& g, const ValueIndex& index, std::size_t i) { return fuse_at(g, index, facts, i); });
}

}  // namespace assay::passes
