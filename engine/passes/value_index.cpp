// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/value_index.h"

#include <algorithm>

namespace assay::passes {
namespace {

const std::vector<Index> kNoConsumers;

}  // namespace

ValueIndex::ValueIndex(const Graph& graph) {
  values_.reserve(graph.nodes.size() * 4);
  update(graph);
  suspects_.clear();
}

Index ValueIndex::producer(const std::string& value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? -1 : found->second.producer;
}

const std::vector<Index>& ValueIndex::consumers(const std::string& value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? kNoConsumers : found->second.consumers;
}

void ValueIndex::add(Index position, const Node& node) {
  for (const std::string& output : node.outputs) {
    Uses& uses = values_[output];
    uses.producer = position;
    if (uses.consumers.empty()) {
      suspects_.push_back(output);
    }
  }
  for (const std::string& input : node.inputs) {
    if (!input.empty()) {
      std::vector<Index>& list = values_[input].consumers;
      list.insert(std::upper_bound(list.begin(), list.end(), position), position);
    }
  }
}

void ValueIndex::remove(Index position, const NodeValues& values) {
  for (const std::string& output : values.outputs) {
    Uses& uses = values_[output];
    uses.producer = uses.producer == position ? -1 : uses.producer;
  }
  for (const std::string& input : values.inputs) {
    if (input.empty()) {
      continue;
    }
    std::vector<Index>& list = values_[input].consumers;
    if (const auto use = std::find(list.begin(), list.end(), position); use != list.end()) {
      list.erase(use);
    }
    if (list.empty()) {
      suspects_.push_back(input);
    }
  }
}

void ValueIndex::shift(Index from, Index by) {
  for (auto& [name, uses] : values_) {
    uses.producer += uses.producer >= from ? by : 0;
    for (Index& position : uses.consumers) {
      position += position >= from ? by : 0;
    }
  }
}

// Looks anew at the nodes between those that are as they were at the beginning and at the end. Whether there were any.
bool ValueIndex::update(const Graph& graph) {
  const auto same = [](const NodeValues& values, const Node& node) {
    return values.inputs == node.inputs && values.outputs == node.outputs;
  };
  const std::size_t shorter = std::min(nodes_.size(), graph.nodes.size());
  std::size_t first = 0;
  while (first < shorter && same(nodes_[first], graph.nodes[first])) {
    ++first;
  }
  std::size_t tail = 0;
  while (tail < shorter - first && same(nodes_[nodes_.size() - 1 - tail], graph.nodes[graph.nodes.size() - 1 - tail])) {
    ++tail;
  }
  const std::size_t old_end = nodes_.size() - tail;
  const std::size_t new_end = graph.nodes.size() - tail;
  for (std::size_t i = first; i < old_end; ++i) {
    remove(static_cast<Index>(i), nodes_[i]);
  }
  if (old_end != new_end && tail > 0) {
    shift(static_cast<Index>(old_end), static_cast<Index>(new_end) - static_cast<Index>(old_end));
  }
  std::vector<NodeValues> changed;
  changed.reserve(new_end - first);
  for (std::size_t i = first; i < new_end; ++i) {
    add(static_cast<Index>(i), graph.nodes[i]);
    changed.push_back({.inputs = graph.nodes[i].inputs, .outputs = graph.nodes[i].outputs});
  }
  const auto begin = nodes_.begin();
  const auto at =
      nodes_.erase(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(old_end));
  nodes_.insert(at, std::make_move_iterator(changed.begin()), std::make_move_iterator(changed.end()));
  return first < old_end || first < new_end;
}

bool ValueIndex::is_dead(const Graph& graph, const NodeValues& values) const {
  return std::all_of(values.outputs.begin(), values.outputs.end(), [&](const std::string& output) {
    return output.empty() || (consumers(output).empty() && !graph.is_output(output));
  });
}

// Marks them, and takes them out of the index, and constants out of the graph.
std::vector<bool> ValueIndex::dead_nodes(Graph& graph) {
  std::vector<bool> dead(nodes_.size(), false);
  while (!suspects_.empty()) {
    const std::string value = std::move(suspects_.back());
    suspects_.pop_back();
    const Index maker = producer(value);
    if (maker < 0 && consumers(value).empty() && !graph.is_output(value)) {
      graph.initializers.erase(value);
    }
    if (maker < 0 || !is_dead(graph, nodes_[static_cast<std::size_t>(maker)])) {
      continue;
    }
    dead[static_cast<std::size_t>(maker)] = true;
    remove(maker, nodes_[static_cast<std::size_t>(maker)]);
  }
  return dead;
}

void ValueIndex::erase(Graph& graph, const std::vector<bool>& dead) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < dead.size(); ++i) {
    if (dead[i]) {
      shift(static_cast<Index>(kept), -1);  // positions so far are those among the kept
      continue;
    }
    if (kept != i) {
      graph.nodes[kept] = std::move(graph.nodes[i]);
      nodes_[kept] = std::move(nodes_[i]);
    }
    ++kept;
  }
  graph.nodes.resize(kept);
  nodes_.resize(kept);
}

void ValueIndex::follow(Graph& graph) {
  update(graph);
  const std::vector<bool> dead = dead_nodes(graph);
  if (std::find(dead.begin(), dead.end(), true) != dead.end()) {
    erase(graph, dead);
  }
}

}  // namespace assay::passes
