// SPDX-License-Identifier: Apache-2.0
// BatchNormalization after Conv, per output channel c:
//   f = scale[c] / sqrt(variance[c] + epsilon),  w'[c] = w[c] * f,  b'[c] = (b[c] - mean[c]) * f + shift[c]
// in double, rounded to float32 once.
#include <cmath>
#include <optional>

#include "engine/passes/all_passes.h"
#include "engine/passes/conv_affine.h"

namespace assay::passes {
namespace {

constexpr float kDefaultEpsilon = 1e-5F;

std::optional<ChannelAffine> read_normalization(const Graph& graph, const Node& node, Index channels) {
  const auto scale = channel_constant(graph, node.input(1), channels);
  const auto shift = channel_constant(graph, node.input(2), channels);
  const auto mean = channel_constant(graph, node.input(3), channels);
  const auto variance = channel_constant(graph, node.input(4), channels);
  if (!scale || !shift || !mean || !variance) {
    return std::nullopt;
  }
  const double epsilon = static_cast<double>(node.float_attribute("epsilon", kDefaultEpsilon));
  ChannelAffine out{.factor = *scale, .mean = *mean, .shift = *shift};
  for (std::size_t c = 0; c < out.factor.size(); ++c) {
    out.factor[c] /= std::sqrt((*variance)[c] + epsilon);
    if (!std::isfinite(out.factor[c])) {  // a variance below -epsilon: left to the runtime
      return std::nullopt;
    }
  }
  return out;
}

Result<bool> fold_at(Graph& graph, const ValueIndex& index, std::size_t i) {
  const auto match = match_conv_and_reader(graph, index, i);
  if (!match) {
    return false;
  }
  const Node& node = graph.nodes[match->reader];
  if (node.op_type != "BatchNormalization" || !node.domain.empty() || node.input(0) != graph.nodes[i].outputs[0]) {
    return false;
  }
  const auto normalization = read_normalization(graph, node, match->channels);
  return normalization && fold_into_conv(graph, i, *match, *normalization, "fold_batch_normalization");
}

}  // namespace

Result<Index> fold_batch_normalization(Graph& graph, const PassContext& /*context*/) {
  return rewrite_until_stable(graph, fold_at);
}

}  // namespace assay::passes
