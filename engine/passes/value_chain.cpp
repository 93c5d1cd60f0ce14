// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/value_chain.h"

#include <algorithm>

namespace assay::passes {
namespace {

// A chain under construction, and the values that its nodes read and none of them makes.
struct Group {
  std::set<std::size_t> nodes;
  std::set<std::string> inputs;
};

class Growth {
 public:
  Growth(const Graph& graph, const ValueIndex& index, const ChainOperands& operands)
      : graph_(graph), index_(index), operands_(operands) {}

  // False where the node is no part of a chain.
  bool add(std::size_t position, Group& group) const {
    const Node& node = graph_.nodes[position];
    const auto operands = operands_(node);
    if (!operands.has_value()) {
      return false;
    }
    group.nodes.insert(position);
    group.inputs.erase(node.outputs[0]);
    for (const std::size_t operand : *operands) {
      if (graph_.constant(node.inputs[operand]) == nullptr) {
        group.inputs.insert(node.inputs[operand]);
      }
    }
    return true;
  }

  // The last node that makes an input of the group and may belong to it: nobody else reads its output.
  std::optional<std::size_t> next(const Group& group) const {
    std::optional<std::size_t> found;
    for (const std::string& value : group.inputs) {
      const Index maker = index_.producer(value);
      if (maker < 0 || graph_.is_output(value) ||
          !operands_(graph_.nodes[static_cast<std::size_t>(maker)]).has_value()) {
        continue;
      }
      const auto& readers = index_.consumers(value);
      const bool is_inner = std::all_of(readers.begin(), readers.end(), [&](Index reader) {
        return group.nodes.contains(static_cast<std::size_t>(reader));
      });
      if (is_inner && (!found.has_value() || static_cast<std::size_t>(maker) > *found)) {
        found = static_cast<std::size_t>(maker);
      }
    }
    return found;
  }

 private:
  const Graph& graph_;
  const ValueIndex& index_;
  const ChainOperands& operands_;
};

}  // namespace

std::optional<ValueChain> longest_chain(const Graph& graph, const ValueIndex& index, std::size_t last, std::size_t most,
                                        const ChainOperands& operands) {
  const Growth growth(graph, index, operands);
  Group group;
  if (!growth.add(last, group)) {
    return std::nullopt;
  }
  std::optional<ValueChain> best;
  for (auto more = growth.next(group); more.has_value() && group.nodes.size() < most; more = growth.next(group)) {
    growth.add(*more, group);
    if (group.inputs.size() == 1) {
      best = {.nodes = group.nodes, .source = *group.inputs.begin()};
    }
  }
  return best;
}

Index rewrite_from_last(Graph& graph, ValueIndex& index, const std::function<bool(std::size_t node)>& rewrite) {
  Index count = 0;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const std::size_t before = graph.nodes.size();
    if (rewrite(i)) {
      index.follow(graph);
      i -= std::min(i, before - graph.nodes.size());  // what is gone stood before it
      ++count;
    }
  }
  return count;
}

}  // namespace assay::passes
