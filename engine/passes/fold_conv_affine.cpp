// SPDX-License-Identifier: Apache-2.0
// Mul, Div, Add and Sub of a constant per output channel (or one for all) after Conv, in double, rounded to float32
// once:  w' = w * f,  b' = b * f  and  b' = b + t.
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/conv_affine.h"

namespace assay::passes {
namespace {

// One value per channel of a constant that broadcasts over everything else of a result of `rank` dimensions.
std::optional<std::vector<double>> channel_values(const Graph& graph, const std::string& value, std::size_t rank,
                                                  Index channels) {
  const Tensor* tensor = graph.constant(value);
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->rank() > rank) {
    return std::nullopt;
  }
  std::vector<double> values = tensor->to_doubles();
  if (tensor->size() == 1) {
    return std::vector<double>(static_cast<std::size_t>(channels), values[0]);
  }
  const std::size_t spatial = rank - 2;
  const bool fits =
      tensor->rank() > spatial && tensor->size() == channels && tensor->dim(tensor->rank() - spatial - 1) == channels;
  return fits ? std::optional(std::move(values)) : std::nullopt;
}

// What the node does to its operand `value`.
std::optional<ChannelAffine> match_affine(const Graph& graph, const Node& node, const std::string& value,
                                          std::size_t rank, Index channels) {
  if (!node.domain.empty() || node.inputs.size() != 2) {
    return std::nullopt;
  }
  const bool is_first = node.inputs[0] == value;
  const bool commutes = node.op_type == "Mul" || node.op_type == "Add";
  if (!commutes && !(is_first && (node.op_type == "Div" || node.op_type == "Sub"))) {
    return std::nullopt;
  }
  auto values = channel_values(graph, node.inputs[is_first ? 1 : 0], rank, channels);
  if (!values.has_value()) {
    return std::nullopt;
  }
  const bool scales = node.op_type == "Mul" || node.op_type == "Div";
  for (double& element : *values) {
    element = node.op_type == "Div" ? 1 / element : node.op_type == "Sub" ? -element : element;
  }
  const std::vector<double> zeros(values->size(), 0.0);
  return scales ? ChannelAffine{.factor = *values, .mean = zeros, .shift = zeros}
                : ChannelAffine{.factor = std::vector<double>(values->size(), 1.0), .mean = zeros, .shift = *values};
}

Result<bool> fold_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const auto match = match_conv_and_reader(graph, index, i);
  if (!match) {
    return false;
  }
  const auto affine =
      match_affine(graph, graph.nodes[match->reader], graph.nodes[i].outputs[0], match->rank, match->channels);
  return affine && fold_into_conv(graph, i, *match, *affine, "fold_conv_affine");
}

}  // namespace

Result<Index> fold_conv_affine(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fold_at);
}

}  // namespace assay::passes
