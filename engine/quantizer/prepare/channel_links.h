// SPDX-License-Identifier: Apache-2.0
// Constants that belong to the channels of a value, on the side that makes it and on the side that reads it, so that a
// factor per channel can be moved from one side to the other without changing what the graph computes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::quantizer {

// Where a value has its channels.
enum class ChannelAxis { kSecond, kLast };

// Constant `input` of node `node` (a position in graph.nodes), seen as [groups, rows, extent, inner]: the element at
// (g, r, e, i) belongs to channel (g * extent + e) / repeat. A constant of one element belongs to all channels.
struct ChannelConstant {
  std::size_t node = 0;
  std::size_t input = 0;
  Index groups = 1;
  Index rows = 1;
  Index extent = 1;
  Index inner = 1;
  Index repeat = 1;
};

// What makes a value: multiplying all `constants` by a positive factor per channel multiplies the value by it.
struct ChannelSource {
  Index channels = 0;
  std::vector<ChannelConstant> constants;
  std::optional<ChannelConstant> weight;  // of a Conv, ConvTranspose, Gemm or MatMul; one of the constants
  std::optional<ChannelConstant> bias;    // likewise
  std::vector<std::string> values;        // from the one asked for back to the one that the source makes
};

// Looks back from `value` through nodes that commute with positive factors per channel (Relu, LeakyRelu, PRelu with one
// slope, pooling, Flatten, Add of a constant per channel) to a Conv, ConvTranspose, Gemm, MatMul, LayerNormalization,
// InstanceNormalization or Mul whose constants are float32. Every value on the way but `value` itself has one use and
// is no graph output.
std::optional<ChannelSource> channel_source(const Graph& graph, const GraphIndex& index, const std::string& value,
                                            ChannelAxis axis);

// The weight with which a Conv, ConvTranspose, Gemm (no transA) or MatMul reads input 0, if it is a float32 constant
// whose input channels are a whole multiple of `channels`.
std::optional<ChannelConstant> channel_weight(const Graph& graph, std::size_t node, Index channels);
// The input channels of such a node; 0 where it has no such weight.
Index input_channels(const Graph& graph, std::size_t node);
// Where input 0 of such a node has its channels.
ChannelAxis input_axis(const Node& node);

// max |x| of each channel.
std::vector<double> channel_magnitudes(const Graph& graph, const ChannelConstant& at, Index channels);

// Multiplies the elements by the factor of their channel, in double, rounded once. A constant that is used elsewhere
// too is copied first, one of a single element becomes a vector. Errors: no memory.
Status scale_channels(Graph& graph, const ChannelConstant& at, std::span<const double> factors);

}  // namespace assay::quantizer
