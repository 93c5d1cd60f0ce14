// SPDX-License-Identifier: Apache-2.0
// BatchNormalization after Conv, per output channel c:
//   f = scale[c] / sqrt(variance[c] + epsilon),  w'[c] = w[c] * f,  b'[c] = (b[c] - mean[c]) * f + shift[c]
// in double, rounded to float32 once.
#include <cmath>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/rewrite.h"

namespace assay::passes {
namespace {

constexpr float kDefaultEpsilon = 1e-5F;

struct Normalization {
  std::vector<double> factor;
  std::vector<double> mean;
  std::vector<double> shift;
};

std::optional<std::vector<double>> channel_constant(const Graph& graph, const std::string& value, Index channels) {
  const Tensor* tensor = graph.constant(value);
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->shape() != Shape{channels}) {
    return std::nullopt;
  }
  return tensor->to_doubles();
}

std::optional<Normalization> read_normalization(const Graph& graph, const Node& node, Index channels) {
  const auto scale = channel_constant(graph, node.input(1), channels);
  const auto shift = channel_constant(graph, node.input(2), channels);
  const auto mean = channel_constant(graph, node.input(3), channels);
  const auto variance = channel_constant(graph, node.input(4), channels);
  if (!scale || !shift || !mean || !variance) {
    return std::nullopt;
  }
  const double epsilon = static_cast<double>(node.float_attribute("epsilon", kDefaultEpsilon));
  Normalization out{.factor = *scale, .mean = *mean, .shift = *shift};
  for (std::size_t c = 0; c < out.factor.size(); ++c) {
    out.factor[c] /= std::sqrt((*variance)[c] + epsilon);
    if (!std::isfinite(out.factor[c])) {  // a variance below -epsilon: left to the runtime
      return std::nullopt;
    }
  }
  return out;
}

Result<bool> fold_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const Node& conv = graph.nodes[i];
  if (conv.op_type != "Conv" || !conv.domain.empty() || !is_used_once(graph, index, conv.outputs[0])) {
    return false;
  }
  const auto position = static_cast<std::size_t>(index.consumers(conv.outputs[0]).front());
  const Node& node = graph.nodes[position];
  const Tensor* weight = graph.constant(conv.input(1));
  if (node.op_type != "BatchNormalization" || !node.domain.empty() || node.input(0) != conv.outputs[0] ||
      weight == nullptr || weight->dtype() != DType::kFloat32 || weight->rank() < 3 || weight->dim(0) == 0) {
    return false;
  }
  const Index channels = weight->dim(0);
  const auto normalization = read_normalization(graph, node, channels);
  const auto old_bias = conv.input(2).empty()
                            ? std::optional(std::vector<double>(static_cast<std::size_t>(channels), 0.0))
                            : channel_constant(graph, conv.input(2), channels);
  if (!normalization || !old_bias) {
    return false;
  }
  const auto from = weight->data<float>();
  const std::size_t per_channel = from.size() / static_cast<std::size_t>(channels);
  std::vector<float> weights(from.size());
  std::vector<float> bias(static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < bias.size(); ++c) {
    for (std::size_t j = c * per_channel; j < (c + 1) * per_channel; ++j) {
      weights[j] = static_cast<float>(static_cast<double>(from[j]) * normalization->factor[c]);
    }
    bias[c] = static_cast<float>(((*old_bias)[c] - normalization->mean[c]) * normalization->factor[c] +
                                 normalization->shift[c]);
  }
  Node folded = conv;
  folded.origin = "fold_batch_normalization";
  folded.outputs = node.outputs;
  folded.outputs.resize(1);
  folded.inputs.resize(3);
  const std::string base = conv.name;
  folded.inputs[1] = add_initializer(graph, base + "_weight", Tensor::from(weight->shape(), weights));
  folded.inputs[2] = add_initializer(graph, base + "_bias", Tensor::from({channels}, bias));
  graph.nodes[i] = std::move(folded);
  erase_nodes(graph, {position});
  return true;
}

}  // namespace

Result<Index> fold_batch_normalization(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fold_at);
}

}  // namespace assay::passes
