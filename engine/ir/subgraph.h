// SPDX-License-Identifier: Apache-2.0
// Subgraphs (the branches of If, the bodies of Loop and Scan) and the outer values they use.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "engine/ir/graph.h"

namespace assay {

// Makes the subgraphs of every node graphs of their own, inner ones first: each outer value that one of them uses
// becomes an input of the node and the last inputs of all its subgraphs (Node::captures). A node that has captures is
// left as it is.
void capture_outer_values(Graph& graph);

// The opposite, for one subgraph of a node, as ONNX files have it: the captured inputs go, and their uses take the
// names that the values have outside.
Graph with_outer_names(const Graph& subgraph, const Node& node);

// Captures of `node` that are constants of `graph` become initializers of its subgraphs.
void bind_constant_captures(const Graph& graph, Node& node);

// Gives every value of a graph another name, in all places and those of captures.
void rename_value(Graph& graph, const std::string& from, const std::string& to);

// How values and nodes of a subgraph are named outside it: "if1/then_branch/" in front of their names.
std::string subgraph_prefix(const Node& node, const std::string& attribute);

// Calls visit for the graph itself (with "") and for every subgraph with the prefixes that lead to it, outer ones
// first.
void for_each_graph(const Graph& graph,
                    const std::function<void(const std::string& prefix, const Graph& graph)>& visit);

// Gives what a subgraph makes another name where an enclosing graph has that name already: ONNX forbids it.
void make_subgraph_names_unique(Graph& graph);

}  // namespace assay
