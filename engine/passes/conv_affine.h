// SPDX-License-Identifier: Apache-2.0
// A function per channel of a Conv's output that moves into its weights and bias.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/passes/rewrite.h"

namespace assay::passes {

// (x - mean) * factor + shift, one of each per output channel.
struct ChannelAffine {
  std::vector<double> factor;
  std::vector<double> mean;
  std::vector<double> shift;
};

// A Conv with constant float32 weights, whose output goes to one node and nowhere else.
struct ConvAndReader {
  std::size_t reader = 0;  // position
  Index channels = 0;      // of the output
  std::size_t rank = 0;    // of weights and output
};
std::optional<ConvAndReader> match_conv_and_reader(const Graph& graph, const ValueIndex& index, std::size_t conv);

// The values of a constant float32 tensor of shape [channels].
std::optional<std::vector<double>> channel_constant(const Graph& graph, const std::string& value, Index channels);

// w'[c] = w[c] * factor[c], b'[c] = (b[c] - mean[c]) * factor[c] + shift[c], in double, rounded to float32 once; the
// Conv makes the reader's first output and carries `origin`, the reader is gone. Weights that no factor changes stay
// shared. False, without a change, where the bias is no constant of [channels] or a result is not finite.
bool fold_into_conv(Graph& graph, std::size_t conv, const ConvAndReader& match, const ChannelAffine& affine,
                    const std::string& origin);

}  // namespace assay::passes
