// SPDX-License-Identifier: Apache-2.0
#include "harness/run/graph_facts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace assay::run {
namespace {

bool moves_values(const std::string& op_type) {
  constexpr std::array<std::string_view, 7> kMovers = {"Identity",  "Reshape", "Flatten", "Transpose",
                                                       "Unsqueeze", "Squeeze", "MaxPool"};
  return std::ranges::find(kMovers, op_type) != kMovers.end();
}

bool makes(const Node& node, const std::string& op_type) { return node.domain.empty() && node.op_type == op_type; }

}  // namespace

Index count_nodes(const Graph& graph, const std::string& op) {
  return std::ranges::count_if(graph.nodes, [&](const Node& node) {
    return op.empty() || op == node.op_type || op == node.domain + "." + node.op_type;
  });
}

std::optional<double> output_step(const Graph& graph, const std::string& output) {
  const GraphIndex index(graph);
  std::string value = output;
  for (Index producer = index.producer(value); producer >= 0; producer = index.producer(value)) {
    const Node& node = graph.nodes[static_cast<std::size_t>(producer)];
    if (makes(node, "DequantizeLinear")) {
      const Tensor* scale = graph.constant(node.input(1));
      return scale != nullptr && scale->size() == 1 ? std::optional(scale->to_doubles().front()) : std::nullopt;
    }
    if (!moves_values(node.op_type)) {
      break;
    }
    value = node.input(0);
  }
  return std::nullopt;
}

bool has_quantizing_nodes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return node.op_type == "QuantizeLinear" || node.op_type == "DynamicQuantizeLinear";
  });
}

bool is_qdq_model(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) { return makes(node, "DequantizeLinear"); });
}

Result<Index> peak_bytes(const api::Session& session, const api::NamedTensors& inputs) {
  std::map<std::string, Index> bytes;
  for (const auto& [name, tensor] : inputs) {
    bytes[name] = static_cast<Index>(tensor.size_bytes());
  }
  api::RunOptions options;
  options.tap = [&](const std::string& value, const Tensor& tensor) {
    bytes[value] = static_cast<Index>(tensor.size_bytes());
  };
  ASSAY_TRY(session.run(inputs, options));
  const Graph& graph = session.optimized_graph();
  std::map<std::string, std::size_t> last_use;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& input : graph.nodes[i].inputs) {
      last_use[input] = i;
    }
  }
  Index live = 0;
  for (const auto& [name, tensor] : inputs) {
    live += bytes[name];
  }
  Index peak = live;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      live += bytes.contains(output) ? bytes[output] : 0;
    }
    peak = std::max(peak, live);
    for (auto& [name, size] : bytes) {
      if (last_use.contains(name) && last_use[name] == i && !graph.is_output(name)) {
        live -= size;
        size = 0;  // counted off once, also where the value is used twice
      }
    }
  }
  return peak;
}

}  // namespace assay::run
