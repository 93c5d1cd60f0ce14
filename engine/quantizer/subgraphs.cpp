// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/subgraphs.h"

#include <algorithm>
#include <memory>

#include "engine/ir/subgraph.h"
#include "engine/quantizer/value_types.h"

namespace assay::quantizer {
namespace {

std::vector<std::string> scoped_names(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<std::string> scoped;
  for (const std::string& name : names) {
    if (name.starts_with(prefix)) {
      scoped.push_back(name.substr(prefix.size()));
    }
  }
  return scoped;
}

template <typename Value>
std::map<std::string, Value> scoped_entries(const std::map<std::string, Value>& entries, const std::string& prefix) {
  std::map<std::string, Value> scoped;
  for (auto entry = entries.lower_bound(prefix); entry != entries.end() && entry->first.starts_with(prefix); ++entry) {
    scoped[entry->first.substr(prefix.size())] = entry->second;
  }
  return scoped;
}

Options scoped_options(const Options& options, const std::string& prefix) {
  Options scoped = options;
  scoped.nodes_to_exclude = scoped_names(options.nodes_to_exclude, prefix);
  scoped.nodes_to_quantize = scoped_names(options.nodes_to_quantize, prefix);
  if (scoped.nodes_to_quantize.empty() && !options.nodes_to_quantize.empty()) {
    scoped.nodes_to_quantize = {""};  // none: an empty list would mean all
  }
  scoped.overrides = scoped_entries(options.overrides, prefix);
  scoped.ranges = scoped_entries(options.ranges, prefix);
  return scoped;
}

// Those of the body's own values; a captured value has the range that it has outside.
RangeTable scoped_ranges(const RangeTable& ranges, const std::string& prefix, const Graph& body, const Node& node) {
  RangeTable scoped = scoped_entries(ranges, prefix);
  for (std::size_t i = 0; i < node.captures; ++i) {
    const auto outer = ranges.find(node.inputs[node.own_inputs() + i]);
    if (outer != ranges.end()) {
      scoped.emplace(body.inputs[body.inputs.size() - node.captures + i].name, outer->second);
    }
  }
  return scoped;
}

void add_report(const QuantizedGraph& inner, const std::string& prefix, QuantizedGraph& report) {
  for (NodeReport node : inner.nodes) {
    node.node.insert(0, prefix);
    report.nodes.push_back(std::move(node));
  }
  for (TensorReport tensor : inner.tensors) {
    tensor.tensor.insert(0, prefix);
    report.tensors.push_back(std::move(tensor));
  }
  for (const std::string& warning : inner.warnings) {
    report.warnings.push_back(prefix.substr(0, prefix.size() - 1) + ": " + warning);
  }
}

}  // namespace

Status quantize_subgraphs(Graph& graph, const RangeTable& ranges, const Options& options,
                          const std::string& float_reason, const QuantizeBody& quantize, QuantizedGraph& report) {
  const bool has_bodies = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return std::any_of(node.attributes.begin(), node.attributes.end(),
                       [](const auto& entry) { return std::holds_alternative<GraphPtr>(entry.second); });
  });
  if (!has_bodies) {
    return {};
  }
  const ValueTypes types = value_types(graph);
  for (Node& node : graph.nodes) {
    bind_constant_captures(graph, node);
    for (auto& [key, attribute] : node.attributes) {
      GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute);
      if (subgraph == nullptr) {
        continue;
      }
      const std::string prefix = subgraph_prefix(node, key);
      const Graph body = typed_subgraph(**subgraph, node, types);
      const RangeTable inner_ranges = scoped_ranges(ranges, prefix, body, node);
      std::string reason = float_reason;
      if (reason.empty() && !options.subgraphs) {
        reason = "quantizer.subgraphs is false";
      }
      if (reason.empty() && needs_ranges(options) && scoped_entries(ranges, prefix).empty()) {
        reason = "no range is known of anything in this body: calibration never ran it";
      }
      ASSAY_ASSIGN(QuantizedGraph inner, quantize(body, inner_ranges, scoped_options(options, prefix), reason));
      add_report(inner, prefix, report);
      graph.opsets.insert(inner.graph.opsets.begin(), inner.graph.opsets.end());
      *subgraph = std::make_shared<const Graph>(std::move(inner.graph));
    }
  }
  return {};
}

}  // namespace assay::quantizer
