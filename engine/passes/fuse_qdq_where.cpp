// SPDX-License-Identifier: Apache-2.0
// Where between quantized branches becomes QLinearWhere, which requantizes each branch by a table of
// quantize(dequantize(q)): what the separate nodes compute. A branch that is a constant of one element is quantized
// with the output's parameters, which its QuantizeLinear does anyway.
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/output_match.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

struct Branch {
  std::string integers;
  std::string scale;
  std::string zero_point;
};

// Whether the branch fits, before anything is added to the graph.
struct Candidate {
  std::optional<Quantization> quantization;
  std::optional<float> constant;
};

Candidate match_branch(const Graph& graph, const ValueIndex& index, const std::string& value, DType dtype) {
  Candidate out;
  const Tensor* constant = graph.constant(value);
  if (constant != nullptr) {
    if (constant->dtype() == DType::kFloat32 && constant->size() == 1 &&
        constant->data<float>()[0] == constant->data<float>()[0]) {
      out.constant = constant->data<float>()[0];
    }
    return out;
  }
  const auto quantization = match_activation(graph, index, value);
  if (quantization.has_value() && quantization->dtype == dtype) {
    out.quantization = quantization;
  }
  return out;
}

Tensor integer_of(Index value, const Shape& shape, DType dtype) {
  return dtype == DType::kInt8 ? Tensor::from(shape, std::vector<std::int8_t>{static_cast<std::int8_t>(value)})
                               : Tensor::from(shape, std::vector<std::uint8_t>{static_cast<std::uint8_t>(value)});
}

Branch make_branch(Graph& graph, const Candidate& candidate, const std::string& value, const Quantization& y) {
  if (candidate.quantization.has_value()) {
    return {.integers = candidate.quantization->integers,
            .scale = candidate.quantization->scale,
            .zero_point = require_zero_point(graph, *candidate.quantization)};
  }
  const Shape shape = graph.constant(value)->shape();
  Tensor integer = integer_of(quantize_value(*candidate.constant, y), shape, y.dtype);
  return {.integers = add_initializer(graph, value + "_quantized", std::move(integer)),
          .scale = y.scale,
          .zero_point = require_zero_point(graph, y)};
}

Result<bool> fuse_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node node = graph.nodes[i];
  if (node.op_type != "Where" || !node.domain.empty()) {
    return false;
  }
  const auto output = match_output(graph, index, node.outputs[0]);
  if (!output.has_value()) {
    return false;
  }
  const Quantization& y = output->quantization;
  const Candidate left = match_branch(graph, index, node.input(1), y.dtype);
  const Candidate right = match_branch(graph, index, node.input(2), y.dtype);
  const auto fits = [](const Candidate& branch) { return branch.quantization || branch.constant; };
  if (!fits(left) || !fits(right) || (left.constant && right.constant)) {
    return false;
  }
  Node fused = fused_node(node, kMicrosoftDomain, "QLinearWhere", "fuse_qdq_where");
  fused.inputs = {node.inputs[0]};
  const std::string zero_point = require_zero_point(graph, y);
  for (const auto& [candidate, value] : {std::pair(left, node.input(1)), std::pair(right, node.input(2))}) {
    const Branch branch = make_branch(graph, candidate, value, y);
    fused.inputs.insert(fused.inputs.end(), {branch.integers, branch.scale, branch.zero_point});
  }
  fused.inputs.insert(fused.inputs.end(), {y.scale, zero_point});
  return replace_group_with_clip(graph, i, std::move(fused), *output);
}

}  // namespace

Result<Index> fuse_qdq_where(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fuse_at);
}

}  // namespace assay::passes
