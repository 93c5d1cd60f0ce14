// SPDX-License-Identifier: Apache-2.0
// GraphIndex for a graph that changes a little at a time: who makes and who uses each value, kept by what changed.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"

namespace assay::passes {

class ValueIndex {
 public:
  explicit ValueIndex(const Graph& graph);
  // Position of the producing node in graph.nodes, or -1.
  Index producer(const std::string& value) const;
  // Positions of the consuming nodes in ascending order; a node that uses the value twice is listed twice.
  const std::vector<Index>& consumers(const std::string& value) const;
  std::size_t consumer_count(const std::string& value) const { return consumers(value).size(); }

  // After a change of nodes: removes those whose values nothing reads any more, with constants, and follows. Nodes that
  // read nothing that they did not read before, and make nothing else, cost a comparison each; the rest is looked at
  // anew.
  void follow(Graph& graph);

 private:
  struct Uses {
    Index producer = -1;
    std::vector<Index> consumers;
  };
  struct NodeValues {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
  };

  void add(Index position, const Node& node);
  void remove(Index position, const NodeValues& values);
  void shift(Index from, Index by);
  bool update(const Graph& graph);
  bool is_dead(const Graph& graph, const NodeValues& values) const;
  std::vector<bool> dead_nodes(Graph& graph);
  void erase(Graph& graph, const std::vector<bool>& dead);

  std::unordered_map<std::string, Uses> values_;
  std::vector<NodeValues> nodes_;      // as indexed
  std::vector<std::string> suspects_;  // values that may have lost their last use
};

}  // namespace assay::passes
