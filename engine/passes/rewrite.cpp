// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/rewrite.h"

#include <algorithm>

namespace assay::passes {

Result<Index> rewrite_until_stable(Graph& graph, const Rewrite& rewrite) {
  Index count = 0;
  bool changed = true;
  ValueIndex index(graph);
  while (changed) {
    changed = false;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      ASSAY_ASSIGN(const bool rewritten, rewrite(graph, index, i));
      if (rewritten) {
        index.follow(graph);
        ++count;
        changed = true;
      }
    }
  }
  if (count > 0) {
    ASSAY_TRY(topological_sort(graph));
  }
  return count;
}

bool is_used_once(const Graph& graph, const ValueIndex& index, const std::string& value) {
  return index.consumer_count(value) == 1 && !graph.is_output(value);
}

std::string add_initializer(Graph& graph, const std::string& base, Tensor tensor) {
  std::string name = fresh_name(graph, base);
  graph.initializers.emplace(name, std::move(tensor));
  return name;
}

void erase_nodes(Graph& graph, std::vector<std::size_t> positions) {
  std::sort(positions.rbegin(), positions.rend());
  for (const std::size_t position : positions) {
    graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(position));
  }
}

bool forward_value(Graph& graph, const ValueIndex& index, const std::string& from, const std::string& to) {
  if (graph.is_output(from)) {
    const Index maker = index.producer(to);
    if (maker < 0 || graph.is_output(to)) {
      return false;
    }
    // The maker of `to` takes the output's name over; the old maker makes a value that nobody reads.
    const Index old_maker = index.producer(from);
    std::vector<std::string>& old_outputs = graph.nodes[static_cast<std::size_t>(old_maker)].outputs;
    std::replace(old_outputs.begin(), old_outputs.end(), from, fresh_name(graph, from + "_unused"));
    std::vector<std::string>& outputs = graph.nodes[static_cast<std::size_t>(maker)].outputs;
    std::replace(outputs.begin(), outputs.end(), to, from);
    replace_uses(graph, to, from);
    return true;
  }
  replace_uses(graph, from, to);
  return true;
}

void import_domain(Graph& graph, const std::string& domain) { graph.opsets.emplace(domain, 1); }

}  // namespace assay::passes
