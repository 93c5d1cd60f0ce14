// SPDX-License-Identifier: Apache-2.0
// Mul, Div, Add and Sub of a constant per output channel (or one for all) after Conv, in double, rounded to float32
// once:  w' = w * f,  b' = b * f  and  b' = b + t.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

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

struct Affine {
  std::vector<double> factor;  // x * factor + shift, per channel
  std::vector<double> shift;
};

// What the node does to its operand `value`.
std::optional<Affine> match_affine(const Graph& graph, const Node& node, const std::string& value, std::size_t rank,
                                   Index channels) {
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
  const std::vector<double> neutral(values->size(), scales ? 0.0 : 1.0);
  return scales ? Affine{.factor = *values, .shift = neutral} : Affine{.factor = neutral, .shift = *values};
}

std::optional<std::vector<double>> read_bias(const Graph& graph, const Node& conv, Index channels) {
  if (conv.input(2).empty()) {
    return std::vector<double>(static_cast<std::size_t>(channels), 0.0);
  }
  const Tensor* bias = graph.constant(conv.input(2));
  const bool fits = bias != nullptr && bias->dtype() == DType::kFloat32 && bias->shape() == Shape{channels};
  return fits ? std::optional(bias->to_doubles()) : std::nullopt;
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

Result<bool> fold_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& conv = graph.nodes[i];
  if (conv.op_type != "Conv" || !conv.domain.empty() || !is_used_once(graph, index, conv.outputs[0])) {
    return false;
  }
  const Tensor* weight = graph.constant(conv.input(1));
  if (weight == nullptr || weight->dtype() != DType::kFloat32 || weight->rank() < 3 || weight->size() == 0) {
    return false;
  }
  const Index channels = weight->dim(0);
  const auto position = static_cast<std::size_t>(index.consumers(conv.outputs[0]).front());
  const auto affine = match_affine(graph, graph.nodes[position], conv.outputs[0], weight->rank(), channels);
  const auto old_bias = read_bias(graph, conv, channels);
  if (!affine.has_value() || !old_bias.has_value()) {
    return false;
  }
  const auto from = weight->data<float>();
  const std::size_t per_channel = from.size() / static_cast<std::size_t>(channels);
  std::vector<float> weights(from.size());
  std::vector<float> bias(static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < bias.size(); ++c) {
    for (std::size_t j = c * per_channel; j < (c + 1) * per_channel; ++j) {
      weights[j] = static_cast<float>(static_cast<double>(from[j]) * affine->factor[c]);
    }
    bias[c] = static_cast<float>((*old_bias)[c] * affine->factor[c] + affine->shift[c]);
  }
  if (!all_finite(weights) || !all_finite(bias)) {
    return false;
  }
  Node folded = conv;
  folded.origin = "fold_conv_affine";
  folded.outputs = graph.nodes[position].outputs;
  folded.inputs.resize(3);
  const bool scales = graph.nodes[position].op_type == "Mul" || graph.nodes[position].op_type == "Div";
  if (scales) {
    folded.inputs[1] = add_initializer(graph, folded.name + "_weight", Tensor::from(weight->shape(), weights));
  }
  folded.inputs[2] = add_initializer(graph, folded.name + "_bias", Tensor::from({channels}, bias));
  graph.nodes[i] = std::move(folded);
  erase_nodes(graph, {position});
  return true;
}

}  // namespace

Result<Index> fold_conv_affine(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fold_at);
}

}  // namespace assay::passes
