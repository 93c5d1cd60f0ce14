// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/conv_affine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::passes {
namespace {

// Zeros where there is none.
std::optional<std::vector<double>> bias_of(const Graph& graph, const Node& conv, Index channels) {
  return conv.input(2).empty() ? std::optional(std::vector<double>(static_cast<std::size_t>(channels), 0.0))
                               : channel_constant(graph, conv.input(2), channels);
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

std::optional<ConvAndReader> match_conv_and_reader(const Graph& graph, const ValueIndex& index, std::size_t conv) {
  const Node& node = graph.nodes[conv];
  if (node.op_type != "Conv" || !node.domain.empty() || !is_used_once(graph, index, node.outputs[0])) {
    return std::nullopt;
  }
  const Tensor* weight = graph.constant(node.input(1));
  if (weight == nullptr || weight->dtype() != DType::kFloat32 || weight->rank() < 3 || weight->size() == 0) {
    return std::nullopt;
  }
  return ConvAndReader{.reader = static_cast<std::size_t>(index.consumers(node.outputs[0]).front()),
                       .channels = weight->dim(0),
                       .rank = weight->rank()};
}

std::optional<std::vector<double>> channel_constant(const Graph& graph, const std::string& value, Index channels) {
  const Tensor* tensor = graph.constant(value);
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->shape() != Shape{channels}) {
    return std::nullopt;
  }
  return tensor->to_doubles();
}

bool fold_into_conv(Graph& graph, std::size_t conv, const ConvAndReader& match, const ChannelAffine& affine,
                    const std::string& origin) {
  const Tensor& weight = *graph.constant(graph.nodes[conv].input(1));
  const auto old_bias = bias_of(graph, graph.nodes[conv], match.channels);
  if (!old_bias) {
    return false;
  }
  const auto from = weight.data<float>();
  const std::size_t per_channel = from.size() / static_cast<std::size_t>(match.channels);
  std::vector<float> weights(from.size());
  std::vector<float> bias(static_cast<std::size_t>(match.channels));
  for (std::size_t c = 0; c < bias.size(); ++c) {
    for (std::size_t j = c * per_channel; j < (c + 1) * per_channel; ++j) {
      weights[j] = static_cast<float>(static_cast<double>(from[j]) * affine.factor[c]);
    }
    bias[c] = static_cast<float>(((*old_bias)[c] - affine.mean[c]) * affine.factor[c] + affine.shift[c]);
  }
  if (!all_finite(weights) || !all_finite(bias)) {
    return false;
  }
  Node folded = graph.nodes[conv];
  folded.origin = origin;
  folded.outputs = {graph.nodes[match.reader].outputs[0]};
  folded.inputs.resize(3);
  if (std::any_of(affine.factor.begin(), affine.factor.end(), [](double factor) { return factor != 1; })) {
    folded.inputs[1] = add_initializer(graph, folded.name + "_weight", Tensor::from(weight.shape(), weights));
  }
  folded.inputs[2] = add_initializer(graph, folded.name + "_bias", Tensor::from({match.channels}, bias));
  graph.nodes[conv] = std::move(folded);
  erase_nodes(graph, {match.reader});
  return true;
}

}  // namespace assay::passes
