// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace assay {
namespace {

const std::string kNone;
const std::vector<Index> kNoConsumers;

template <typename T>
T attribute_or(const AttributeMap& attributes, const std::string& key, T fallback) {
  const auto found = attributes.find(key);
  if (found == attributes.end()) {
    return fallback;
  }
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? fallback : *value;
}

bool has_name(const std::vector<ValueInfo>& infos, const std::string& name) {
  return std::any_of(infos.begin(), infos.end(), [&](const ValueInfo& info) { return info.name == name; });
}

// Every value and who makes it; an error where two make the same.
Status collect_producers(const Graph& graph, std::unordered_map<std::string, Index>& producers) {
  std::unordered_set<std::string> ready;
  for (const ValueInfo& input : graph.inputs) {
    ready.insert(input.name);
  }
  for (const auto& [name, tensor] : graph.initializers) {
    ready.insert(name);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      if (output.empty()) {
        continue;
      }
      if (ready.contains(output) || !producers.emplace(output, static_cast<Index>(i)).second) {
        return invalid_model(node_text(graph, graph.nodes[i]) + ": value '" + output +
                             "' already has a producer; every value is made once");
      }
    }
  }
  return {};
}

}  // namespace

Index Node::int_attribute(const std::string& key, Index fallback) const {
  return attribute_or<Index>(attributes, key, fallback);
}
float Node::float_attribute(const std::string& key, float fallback) const {
  return attribute_or<float>(attributes, key, fallback);
}
std::string Node::string_attribute(const std::string& key, const std::string& fallback) const {
  return attribute_or<std::string>(attributes, key, fallback);
}
std::vector<Index> Node::ints_attribute(const std::string& key) const {
  return attribute_or<std::vector<Index>>(attributes, key, {});
}
GraphPtr Node::graph_attribute(const std::string& key) const {
  return attribute_or<GraphPtr>(attributes, key, nullptr);
}
const std::string& Node::input(std::size_t i) const { return i < inputs.size() ? inputs[i] : kNone; }

Index Graph::opset(const std::string& domain) const {
  const auto found = opsets.find(domain);
  return found == opsets.end() ? 0 : found->second;
}
bool Graph::is_input(const std::string& value) const { return has_name(inputs, value); }
bool Graph::is_output(const std::string& value) const { return has_name(outputs, value); }
const Tensor* Graph::constant(const std::string& value) const {
  const auto found = initializers.find(value);
  return found == initializers.end() ? nullptr : &found->second;
}

GraphIndex::GraphIndex(const Graph& graph) {
  producers_.reserve(graph.nodes.size() * 2);
  consumers_.reserve(graph.nodes.size() * 3);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) {
      producers_[output] = static_cast<Index>(i);
    }
    for (const std::string& input : graph.nodes[i].inputs) {
      if (!input.empty()) {
        consumers_[input].push_back(static_cast<Index>(i));
      }
    }
  }
}
Index GraphIndex::producer(const std::string& value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
}
const std::vector<Index>& GraphIndex::consumers(const std::string& value) const {
  const auto found = consumers_.find(value);
  return found == consumers_.end() ? kNoConsumers : found->second;
}

Status topological_sort(Graph& graph) {
  std::unordered_map<std::string, Index> producers;
  ASSAY_TRY(collect_producers(graph, producers));

  const std::size_t count = graph.nodes.size();
  std::vector<std::vector<std::size_t>> users(count);
  std::vector<std::size_t> missing(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::string& input : graph.nodes[i].inputs) {
      const auto found = producers.find(input);
      if (found != producers.end()) {
        users[static_cast<std::size_t>(found->second)].push_back(i);
        ++missing[i];
      } else if (!input.empty() && !graph.is_input(input) && graph.constant(input) == nullptr) {
        return invalid_model(node_text(graph, graph.nodes[i]) + ": input '" + input +
                             "' is made by no node and is neither a graph input nor an initializer");
      }
    }
  }
  for (const ValueInfo& output : graph.outputs) {
    if (!producers.contains(output.name) && !graph.is_input(output.name) && graph.constant(output.name) == nullptr) {
      return invalid_model("graph output '" + output.name + "' is made by no node");
    }
  }
  std::set<std::size_t> ready;  // ordered: ties keep the given order
  for (std::size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) {
      ready.insert(i);
    }
  }
  std::vector<std::size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    for (const std::size_t user : users[next]) {
      if (--missing[user] == 0) {
        ready.insert(user);
      }
    }
    order.push_back(next);
  }
  if (order.size() != count) {
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::size_t n) { return n > 0; });
    const Node& node = graph.nodes[static_cast<std::size_t>(stuck - missing.begin())];
    return invalid_model("the graph has a cycle through " + node_text(graph, node));
  }
  if (!std::is_sorted(order.begin(), order.end())) {
    std::vector<Node> sorted;
    sorted.reserve(count);
    for (const std::size_t position : order) {
      sorted.push_back(std::move(graph.nodes[position]));
    }
    graph.nodes = std::move(sorted);
  }
  return {};
}

void remove_dead_nodes(Graph& graph) {
  std::unordered_set<std::string_view> live;  // names that stay where they are until all decisions are made
  live.reserve(graph.nodes.size() * 3);
  for (const ValueInfo& output : graph.outputs) {
    live.insert(output.name);
  }
  std::vector<bool> keep(graph.nodes.size(), false);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {  // consumers before producers
    const Node& node = graph.nodes[i];
    keep[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](const std::string& output) { return live.contains(output); });
    if (keep[i]) {
      live.insert(node.inputs.begin(), node.inputs.end());
    }
  }
  std::erase_if(graph.initializers, [&](const auto& entry) { return !live.contains(entry.first); });
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) {
    return;
  }
  std::vector<Node> kept;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (keep[i]) {
      kept.push_back(std::move(graph.nodes[i]));
    }
  }
  graph.nodes = std::move(kept);
}

std::unordered_set<std::string> made_names(const Graph& graph) {
  std::unordered_set<std::string> names;
  for (const ValueInfo& input : graph.inputs) {
    names.insert(input.name);
  }
  for (const auto& [name, tensor] : graph.initializers) {
    names.insert(name);
  }
  for (const Node& node : graph.nodes) {
    names.insert(node.outputs.begin(), node.outputs.end());
  }
  names.erase("");
  return names;
}

std::unordered_set<std::string> taken_names(const Graph& graph) {
  std::unordered_set<std::string> names = made_names(graph);
  for (const ValueInfo& output : graph.outputs) {
    names.insert(output.name);
  }
  for (const Node& node : graph.nodes) {
    names.insert(node.name);
    names.insert(node.inputs.begin(), node.inputs.end());
  }
  return names;
}

namespace {

// Whether taken_names() has the name.
bool is_taken(const Graph& graph, const std::string& name) {
  const auto is_it = [&](const std::string& other) { return other == name; };
  return graph.initializers.contains(name) || graph.is_input(name) || graph.is_output(name) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
           return node.name == name || std::any_of(node.inputs.begin(), node.inputs.end(), is_it) ||
                  std::any_of(node.outputs.begin(), node.outputs.end(), is_it);
         });
}

}  // namespace

std::string fresh_name(const Graph& graph, const std::string& base) {
  if (!is_taken(graph, base)) {
    return base;
  }
  const std::unordered_set<std::string> taken = taken_names(graph);
  std::string name = base;
  for (int i = 1; taken.contains(name); ++i) {
    name = base + "_" + std::to_string(i);
  }
  return name;
}

void replace_uses(Graph& graph, const std::string& from, const std::string& to) {
  for (Node& node : graph.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  }
}

std::string node_text(const Graph& graph, const Node& node) {
  const std::string domain = node.domain.empty() ? "" : node.domain + ".";
  return domain + node.op_type + " node '" + node.name + "' (opset " + std::to_string(graph.opset(node.domain)) + ")";
}

}  // namespace assay
