// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/equalize.h"

#include <algorithm>
#include <cmath>

#include "engine/quantizer/prepare/channel_links.h"
#include "engine/quantizer/selection.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

constexpr int kMostRounds = 20;
constexpr double kSettled = 1.001;

struct Pair {
  ChannelSource source;
  ChannelConstant weight;  // of the second layer
};

bool has_override(const Graph& graph, const Pair& pair, const Options& options) {
  const auto overridden = [&](const std::string& name) { return options.overrides.contains(name); };
  const auto constant = [&](const ChannelConstant& at) { return overridden(graph.nodes[at.node].input(at.input)); };
  return std::any_of(pair.source.values.begin(), pair.source.values.end(), overridden) ||
         std::any_of(pair.source.constants.begin(), pair.source.constants.end(), constant) || constant(pair.weight);
}

std::vector<Pair> find_pairs(const Graph& graph, const Options& options) {
  const GraphIndex index(graph);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const std::string& value = node.input(0);
    if (input_channels(graph, i) == 0 || !deselection_reason(node, options).empty() ||
        index.consumer_count(value) != 1 || graph.is_output(value)) {
      continue;
    }
    auto source = channel_source(graph, index, value, input_axis(node));
    if (!source || !source->weight || !deselection_reason(graph.nodes[source->weight->node], options).empty()) {
      continue;
    }
    const auto weight = channel_weight(graph, i, source->channels);
    if (weight && !has_override(graph, {*source, *weight}, options)) {
      pairs.push_back({std::move(*source), *weight});
    }
  }
  return pairs;
}

std::vector<double> factors_of(const Graph& graph, const Pair& pair) {
  const Index channels = pair.source.channels;
  const std::vector<double> first = channel_magnitudes(graph, *pair.source.weight, channels);
  const std::vector<double> second = channel_magnitudes(graph, pair.weight, channels);
  std::vector<double> bias(first.size(), 0.0);
  if (pair.source.bias) {
    bias = channel_magnitudes(graph, *pair.source.bias, channels);
  }
  const double largest_bias = *std::max_element(bias.begin(), bias.end());
  std::vector<double> factors(first.size(), 1.0);
  for (std::size_t c = 0; c < factors.size(); ++c) {
    if (first[c] > 0 && second[c] > 0) {
      const double least = largest_bias > 0 ? bias[c] / largest_bias : 0.0;
      const double even = std::sqrt(first[c] / second[c]);
      factors[c] = std::isfinite(even) && even > 0 ? std::max(even, least) : 1.0;
    }
  }
  return factors;
}

// The largest of the factors, or of their reciprocals.
Result<double> even_out(Graph& graph, const Pair& pair) {
  const std::vector<double> factors = factors_of(graph, pair);
  std::vector<double> reciprocals(factors.size());
  double largest = 1;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    reciprocals[c] = 1 / factors[c];
    largest = std::max({largest, factors[c], reciprocals[c]});
  }
  for (const ChannelConstant& constant : pair.source.constants) {
    ASSAY_TRY(scale_channels(graph, constant, reciprocals));
  }
  ASSAY_TRY(scale_channels(graph, pair.weight, factors));
  return largest;
}

}  // namespace

Result<std::vector<std::string>> equalize(Graph& graph, const Options& options) {
  const std::vector<Pair> pairs = find_pairs(graph, options);
  bool settled = pairs.empty();
  for (int round = 0; round < kMostRounds && !settled; ++round) {
    settled = true;
    for (const Pair& pair : pairs) {
      ASSAY_ASSIGN(const double largest, even_out(graph, pair));
      settled = settled && largest <= kSettled;
    }
  }
  std::vector<std::string> lines;
  for (const Pair& pair : pairs) {
    lines.push_back("equalized " + short_text(graph.nodes[pair.source.weight->node]) + " and " +
                    short_text(graph.nodes[pair.weight.node]));
  }
  return lines;
}

}  // namespace assay::quantizer
