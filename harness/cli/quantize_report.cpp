// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/quantize_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "reports/text_table.h"

namespace assay::cli {
namespace {

using reports::Align;
using reports::Json;
using reports::TextTable;

// Between integers and floats: of models that were quantized before. It computes in neither.
bool converts(const api::NodeDecision& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear";
}

TextTable node_table(const api::QuantizeResult& result) {
  TextTable table{.title = "", .columns = {{"node"}, {"op"}, {"computes in"}, {"why"}}, .rows = {}};
  for (const api::NodeDecision& node : result.nodes) {
    table.rows.push_back({node.node, node.op_type,
                          converts(node)   ? "-"
                          : node.quantized ? "integers"
                                           : "float",
                          node.reason});
  }
  return table;
}

TextTable tensor_table(const api::QuantizeResult& result) {
  TextTable table{.title = "Tensors with parameters",
                  .columns = {{"tensor"},
                              {"type"},
                              {"scale", Align::kRight},
                              {"zero point", Align::kRight},
                              {"observed range"},
                              {"scales"}},
                  .rows = {}};
  for (const api::TensorParams& tensor : result.tensors) {
    const bool single = tensor.scales.size() == 1;
    std::string scale;
    std::string zero_point;
    if (!tensor.scales.empty()) {
      const auto [low, high] = std::ranges::minmax(tensor.scales);
      scale = single ? fmt::format("{:.6g}", low) : fmt::format("{:.4g} .. {:.4g}", low, high);
    }
    if (!tensor.zero_points.empty()) {
      const auto [low, high] = std::ranges::minmax(tensor.zero_points);
      zero_point = low == high ? std::to_string(low) : fmt::format("{} .. {}", low, high);
    }
    table.rows.push_back(
        {tensor.tensor, std::string(dtype_name(tensor.dtype)), scale, zero_point,
         fmt::format("[{:.6g}, {:.6g}]", tensor.min, tensor.max),
         tensor.axis < 0 ? "per tensor" : fmt::format("{} on axis {}", tensor.scales.size(), tensor.axis)});
  }
  return table;
}

// "Conv 2, Softmax 1": operators of the nodes, most frequent first.
std::string op_counts(const std::vector<const api::NodeDecision*>& nodes) {
  std::map<std::string, std::size_t> counts;
  for (const api::NodeDecision* node : nodes) {
    ++counts[node->op_type];
  }
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [op_type, count] : sorted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", op_type, count);
  }
  return text;
}

std::vector<const api::NodeDecision*> float_nodes(const api::QuantizeResult& result) {
  std::vector<const api::NodeDecision*> nodes;
  for (const api::NodeDecision& node : result.nodes) {
    if (!node.quantized && !converts(node)) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

std::string summary(const api::QuantizeResult& result) {
  const std::vector<const api::NodeDecision*> left = float_nodes(result);
  const auto computing = static_cast<std::size_t>(std::ranges::count_if(result.nodes, std::not_fn(converts)));
  const std::string quantized = fmt::format("{} of {} nodes compute in integers", computing - left.size(), computing);
  return left.empty() ? quantized + "\n"
                      : fmt::format("{}; {} in float: {}\n", quantized, left.size(), op_counts(left));
}

TextTable reason_table(const api::QuantizeResult& result) {
  std::map<std::string, std::vector<const api::NodeDecision*>> reasons;
  for (const api::NodeDecision* node : float_nodes(result)) {
    reasons[node->reason].push_back(node);
  }
  std::vector<std::pair<std::string, std::vector<const api::NodeDecision*>>> sorted(reasons.begin(), reasons.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  TextTable table{
      .title = "Why nodes stayed float", .columns = {{"nodes", Align::kRight}, {"why"}, {"operators"}}, .rows = {}};
  for (const auto& [reason, nodes] : sorted) {
    table.rows.push_back({std::to_string(nodes.size()), reason, op_counts(nodes)});
  }
  return table;
}

}  // namespace

Json quantize_json(const api::QuantizeResult& result) {
  Json json = Json::object();
  json["samples"] = result.samples;
  json["preparation"] = result.preparation;
  json["nodes"] = Json::array();
  for (const api::NodeDecision& node : result.nodes) {
    json["nodes"].push_back(
        {{"node", node.node}, {"op", node.op_type}, {"quantized", node.quantized}, {"reason", node.reason}});
  }
  json["tensors"] = Json::array();
  for (const api::TensorParams& tensor : result.tensors) {
    json["tensors"].push_back({{"tensor", tensor.tensor},
                               {"type", dtype_name(tensor.dtype)},
                               {"scales", tensor.scales},
                               {"zero_points", tensor.zero_points},
                               {"axis", tensor.axis},
                               {"min", tensor.min},
                               {"max", tensor.max}});
  }
  json["warnings"] = result.warnings;
  return json;
}

std::string nodes_text(const api::QuantizeResult& result) {
  return render_plain(node_table(result)) + "\n" + summary(result);
}

std::string explanation_text(const api::QuantizeResult& result) {
  const std::string reasons = float_nodes(result).empty() ? "" : render_plain(reason_table(result)) + "\n";
  const std::string tensors = result.tensors.empty() ? "" : render_plain(tensor_table(result)) + "\n";
  return reasons + render_plain(node_table(result)) + "\n" + tensors + summary(result);
}

}  // namespace assay::cli
