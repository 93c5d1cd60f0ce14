// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/subgraph.h"

#include <algorithm>
#include <unordered_set>

namespace assay {
namespace {

// Adds what `graph` uses but does not make, in the order of first use.
void add_free_names(const Graph& graph, std::vector<std::string>& free) {
  const std::unordered_set<std::string> defined = made_names(graph);
  const auto use = [&](const std::string& name) {
    if (!name.empty() && !defined.contains(name) && std::find(free.begin(), free.end(), name) == free.end()) {
      free.push_back(name);
    }
  };
  for (const Node& node : graph.nodes) {
    std::for_each(node.inputs.begin(), node.inputs.end(), use);
  }
  for (const ValueInfo& output : graph.outputs) {
    use(output.name);
  }
}

void capture_at(Node& node) {
  std::vector<std::pair<std::string, Graph>> subgraphs;
  std::vector<std::string> free;
  for (const auto& [key, attribute] : node.attributes) {
    if (const GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute)) {
      subgraphs.emplace_back(key, **subgraph);
      capture_outer_values(subgraphs.back().second);
      add_free_names(subgraphs.back().second, free);
    }
  }
  for (auto& [key, subgraph] : subgraphs) {
    for (const std::string& name : free) {
      ValueInfo info;
      info.name = name;
      subgraph.inputs.push_back(std::move(info));
    }
    node.attributes[key] = std::make_shared<const Graph>(std::move(subgraph));
  }
  node.inputs.insert(node.inputs.end(), free.begin(), free.end());
  node.captures = free.size();
}

void visit_graphs(const Graph& graph, const std::string& prefix,
                  const std::function<void(const std::string& prefix, const Graph& graph)>& visit) {
  visit(prefix, graph);
  for (const Node& node : graph.nodes) {
    for (const auto& [key, attribute] : node.attributes) {
      if (const GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute)) {
        visit_graphs(**subgraph, prefix + subgraph_prefix(node, key), visit);
      }
    }
  }
}

// `scope`: what the enclosing graphs make.
void make_unique(Graph& graph, std::unordered_set<std::string> scope) {
  for (const std::string& name : made_names(graph)) {
    scope.insert(name);
  }
  for (Node& node : graph.nodes) {
    for (auto& [key, attribute] : node.attributes) {
      GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute);
      if (subgraph == nullptr) {
        continue;
      }
      Graph body = **subgraph;
      std::unordered_set<std::string> own = made_names(body);
      for (std::size_t i = body.inputs.size() - node.captures; i < body.inputs.size(); ++i) {
        own.erase(body.inputs[i].name);
      }
      std::vector<std::string> names(own.begin(), own.end());
      std::sort(names.begin(), names.end());
      std::unordered_set<std::string> taken = taken_names(body);
      for (const std::string& name : names) {
        std::string fresh = name;
        for (int i = 1; scope.contains(fresh) || (fresh != name && taken.contains(fresh)); ++i) {
          fresh = name + "_" + std::to_string(i);
        }
        if (fresh != name) {
          rename_value(body, name, fresh);
          taken.insert(fresh);
        }
      }
      make_unique(body, scope);
      *subgraph = std::make_shared<const Graph>(std::move(body));
    }
  }
}

}  // namespace

std::string subgraph_prefix(const Node& node, const std::string& attribute) {
  return node.name + "/" + attribute + "/";
}

void for_each_graph(const Graph& graph,
                    const std::function<void(const std::string& prefix, const Graph& graph)>& visit) {
  visit_graphs(graph, "", visit);
}

void make_subgraph_names_unique(Graph& graph) { make_unique(graph, {}); }

void capture_outer_values(Graph& graph) {
  for (Node& node : graph.nodes) {
    if (node.captures == 0) {
      capture_at(node);
    }
  }
}

void rename_value(Graph& graph, const std::string& from, const std::string& to) {
  for (std::vector<ValueInfo>* infos : {&graph.inputs, &graph.outputs}) {
    for (ValueInfo& info : *infos) {
      info.name = info.name == from ? to : info.name;
    }
  }
  if (auto entry = graph.initializers.extract(from); !entry.empty()) {
    entry.key() = to;
    graph.initializers.insert(std::move(entry));
  }
  graph.value_infos.erase(from);
  for (Node& node : graph.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
    std::replace(node.outputs.begin(), node.outputs.end(), from, to);
  }
}

Graph with_outer_names(const Graph& subgraph, const Node& node) {
  Graph out = subgraph;
  const std::size_t own = out.inputs.size() - node.captures;
  for (std::size_t i = 0; i < node.captures; ++i) {
    const std::string inner = out.inputs[own + i].name;
    const std::string& outer = node.inputs[node.own_inputs() + i];
    if (inner == outer) {
      continue;
    }
    if (made_names(out).contains(outer)) {
      rename_value(out, outer, fresh_name(out, outer + "_inner"));
    }
    rename_value(out, inner, outer);
  }
  out.inputs.resize(own);
  return out;
}

void bind_constant_captures(const Graph& graph, Node& node) {
  for (std::size_t i = node.captures; i-- > 0;) {
    const std::size_t position = node.own_inputs() + i;
    const Tensor* tensor = graph.constant(node.inputs[position]);
    if (tensor == nullptr) {
      continue;
    }
    for (auto& [key, attribute] : node.attributes) {
      GraphPtr* subgraph = std::get_if<GraphPtr>(&attribute);
      if (subgraph == nullptr) {
        continue;
      }
      Graph bound = **subgraph;
      const auto input = bound.inputs.end() - static_cast<std::ptrdiff_t>(node.captures - i);
      bound.initializers.emplace(input->name, *tensor);
      bound.inputs.erase(input);
      *subgraph = std::make_shared<const Graph>(std::move(bound));
    }
    node.inputs.erase(node.inputs.begin() + static_cast<std::ptrdiff_t>(position));
    --node.captures;
  }
}

}  // namespace assay
