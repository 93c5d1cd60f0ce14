// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/gemm_to_matmul.h"

#include <algorithm>

#include "engine/quantizer/name_maker.h"

namespace assay::quantizer {
namespace {

bool is_float(const Tensor* tensor) { return tensor != nullptr && tensor->dtype() == DType::kFloat32; }

bool can_rewrite(const Graph& graph, const Node& node) {
  const Tensor* b = graph.constant(node.input(1));
  const bool constant_bias = node.input(2).empty() || is_float(graph.constant(node.input(2)));
  return node.op_type == "Gemm" && node.domain.empty() && is_float(b) && b->rank() == 2 && constant_bias &&
         node.int_attribute("transA", 0) == 0;
}

Result<Tensor> times(const Tensor& tensor, float factor) {
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DType::kFloat32, tensor.shape()));
  const auto from = tensor.data<float>();
  std::transform(from.begin(), from.end(), out.mutable_data<float>().begin(), [&](float x) { return x * factor; });
  return out;
}

Result<Tensor> transposed(const Tensor& tensor) {
  const Index rows = tensor.dim(0);
  const Index columns = tensor.dim(1);
  ASSAY_ASSIGN(Tensor out, Tensor::allocate(DType::kFloat32, {columns, rows}));
  const auto from = tensor.data<float>();
  const auto to = out.mutable_data<float>();
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      to[static_cast<std::size_t>(c * rows + r)] = from[static_cast<std::size_t>(r * columns + c)];
    }
  }
  return out;
}

// The factor of the product or of the bias goes into the constant.
Result<std::string> with_factor(Graph& graph, NameMaker& names, const std::string& name, float factor) {
  if (factor == 1.0F) {
    return name;
  }
  ASSAY_ASSIGN(Tensor scaled, times(*graph.constant(name), factor));
  std::string scaled_name = names.make(name + "_scaled");
  graph.initializers[scaled_name] = std::move(scaled);
  return scaled_name;
}

Status rewrite(Graph& graph, NameMaker& names, const Node& gemm, std::vector<Node>& nodes) {
  Node product;
  product.name = gemm.name;
  product.op_type = "MatMul";
  ASSAY_ASSIGN(std::string b, with_factor(graph, names, gemm.input(1), gemm.float_attribute("alpha", 1.0F)));
  if (gemm.int_attribute("transB", 0) != 0) {
    ASSAY_ASSIGN(Tensor turned, transposed(*graph.constant(b)));
    b = names.make(gemm.input(1) + "_Transposed");
    graph.initializers[b] = std::move(turned);
  }
  product.inputs = {gemm.input(0), b};
  if (gemm.input(2).empty()) {
    product.outputs = gemm.outputs;
    nodes.push_back(std::move(product));
    return {};
  }
  product.outputs = {names.make(gemm.outputs[0] + "_MatMul")};
  Node sum;
  sum.name = names.make(gemm.name + "_Add");
  sum.op_type = "Add";
  ASSAY_ASSIGN(const std::string c, with_factor(graph, names, gemm.input(2), gemm.float_attribute("beta", 1.0F)));
  sum.inputs = {product.outputs[0], c};
  sum.outputs = gemm.outputs;
  nodes.push_back(std::move(product));
  nodes.push_back(std::move(sum));
  return {};
}

}  // namespace

Status gemm_to_matmul(Graph& graph) {
  NameMaker names(graph);
  std::vector<Node> nodes;
  for (const Node& node : graph.nodes) {
    if (can_rewrite(graph, node)) {
      ASSAY_TRY(rewrite(graph, names, node, nodes));
    } else {
      nodes.push_back(node);
    }
  }
  graph.nodes = std::move(nodes);
  return {};
}

}  // namespace assay::quantizer
