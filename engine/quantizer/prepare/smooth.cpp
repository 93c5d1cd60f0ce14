// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/smooth.h"

#include <algorithm>
#include <cmath>

#include "engine/quantizer/prepare/channel_links.h"
#include "engine/quantizer/selection.h"
#include "engine/quantizer/text.h"

namespace assay::quantizer {
namespace {

struct Site {
  std::string value;
  std::vector<std::size_t> readers;     // MatMul and Gemm nodes that are quantized
  std::optional<ChannelSource> source;  // nothing: a graph input
  Index width = 0;                      // along the last axis
};

bool reads_smoothed(const Graph& graph, std::size_t i, const Options& options) {
  const Node& node = graph.nodes[i];
  return (node.op_type == "MatMul" || node.op_type == "Gemm") && input_channels(graph, i) > 0 &&
         deselection_reason(node, options).empty() && !options.overrides.contains(node.input(0)) &&
         !options.overrides.contains(node.input(1));
}

// The readers of a value that may be smoothed, in the order of the values' first readers.
std::vector<Site> candidates(const Graph& graph, const Options& options) {
  std::vector<Site> sites;
  std::map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!reads_smoothed(graph, i, options)) {
      continue;
    }
    const std::string& value = graph.nodes[i].input(0);
    const auto [entry, is_new] = positions.try_emplace(value, sites.size());
    if (is_new) {
      sites.push_back({.value = value, .readers = {}, .source = {}, .width = input_channels(graph, i)});
    }
    Site& site = sites[entry->second];
    site.readers.push_back(i);
    site.width = site.width == input_channels(graph, i) ? site.width : 0;
  }
  return sites;
}

bool is_overridden(const Graph& graph, const ChannelSource& source, const Options& options) {
  return std::any_of(source.values.begin(), source.values.end(),
                     [&](const std::string& name) { return options.overrides.contains(name); }) ||
         std::any_of(source.constants.begin(), source.constants.end(), [&](const ChannelConstant& at) {
           return options.overrides.contains(graph.nodes[at.node].input(at.input));
         });
}

std::vector<Site> find_sites(const Graph& graph, const Options& options) {
  const GraphIndex index(graph);
  std::vector<Site> sites;
  for (Site& site : candidates(graph, options)) {
    const bool alone = index.consumer_count(site.value) == site.readers.size() && !graph.is_output(site.value);
    if (site.width == 0) {
      continue;
    }
    if (graph.is_input(site.value)) {
      sites.push_back(std::move(site));
      continue;
    }
    site.source = alone ? channel_source(graph, index, site.value, ChannelAxis::kLast) : std::nullopt;
    if (site.source && site.width % site.source->channels == 0 && !is_overridden(graph, *site.source, options)) {
      sites.push_back(std::move(site));
    }
  }
  return sites;
}

std::vector<double> factors_of(const Graph& graph, const Site& site, const std::vector<double>& measured,
                               const Options& options) {
  const Index channels = site.source ? site.source->channels : site.width;
  const auto count = static_cast<std::size_t>(channels);
  const std::size_t repeat = measured.size() / count;
  std::vector<double> activations(count, 0.0);
  for (std::size_t k = 0; k < measured.size(); ++k) {
    activations[k / repeat] = std::max(activations[k / repeat], measured[k]);
  }
  std::vector<double> weights(count, 0.0);
  for (const std::size_t reader : site.readers) {
    const std::vector<double> own = channel_magnitudes(graph, *channel_weight(graph, reader, channels), channels);
    std::transform(own.begin(), own.end(), weights.begin(), weights.begin(),
                   [](double a, double b) { return std::max(a, b); });
  }
  std::vector<double> factors(count, 1.0);
  for (std::size_t c = 0; c < count; ++c) {
    if (activations[c] > 0 && weights[c] > 0) {
      const double factor =
          std::pow(activations[c], options.smooth_quant_alpha) / std::pow(weights[c], 1 - options.smooth_quant_alpha);
      factors[c] = std::isfinite(factor) && factor > 0 ? factor : 1.0;
    }
  }
  return factors;
}

// A Mul behind a graph input, for the readers.
std::string divide_input(Graph& graph, const Site& site, const std::vector<double>& reciprocals) {
  Node node;
  node.name = fresh_name(graph, site.value + "_smooth");
  node.op_type = "Mul";
  node.outputs = {fresh_name(graph, site.value + "_smoothed")};
  const std::string constant = fresh_name(graph, site.value + "_smooth_factors");
  node.inputs = {site.value, constant};
  graph.initializers[constant] = Tensor::from<float>({static_cast<Index>(reciprocals.size())},
                                                     std::vector<float>(reciprocals.begin(), reciprocals.end()));
  for (const std::size_t reader : site.readers) {
    graph.nodes[reader].inputs[0] = node.outputs[0];
  }
  std::string name = node.name;
  graph.nodes.push_back(std::move(node));  // sorted by the caller, since positions are in use
  return name;
}

}  // namespace

std::map<std::string, Index> smoothed_values(const Graph& graph, const Options& options) {
  std::map<std::string, Index> values;
  for (const Site& site : find_sites(graph, options)) {
    values[site.value] = site.width;
  }
  return values;
}

Result<Smoothing> smooth(Graph& graph, const std::map<std::string, std::vector<double>>& magnitudes,
                         const Options& options) {
  Smoothing done;
  for (const Site& site : find_sites(graph, options)) {
    const auto measured = magnitudes.find(site.value);
    if (measured == magnitudes.end() || static_cast<Index>(measured->second.size()) != site.width) {
      continue;  // the value was never computed
    }
    const std::vector<double> factors = factors_of(graph, site, measured->second, options);
    std::vector<double> reciprocals(factors.size());
    std::transform(factors.begin(), factors.end(), reciprocals.begin(), [](double factor) { return 1 / factor; });
    for (const std::size_t reader : site.readers) {
      const auto weight = channel_weight(graph, reader, static_cast<Index>(factors.size()));
      ASSAY_TRY(scale_channels(graph, *weight, factors));
    }
    if (site.source) {
      for (const ChannelConstant& constant : site.source->constants) {
        ASSAY_TRY(scale_channels(graph, constant, reciprocals));
      }
      done.lines.push_back("smoothed '" + site.value + "' through " +
                           short_text(graph.nodes[site.source->constants[0].node]));
    } else {
      done.float_nodes.push_back(divide_input(graph, site, reciprocals));
      done.lines.push_back("smoothed graph input '" + site.value + "' through Mul '" + done.float_nodes.back() + "'");
    }
  }
  ASSAY_TRY(topological_sort(graph));
  return done;
}

}  // namespace assay::quantizer
