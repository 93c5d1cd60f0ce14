// SPDX-License-Identifier: Apache-2.0
// A model in memory: values are named, nodes are in a list that topological_sort() orders. A value has one producer:
// a graph input, an initializer or one output of one node. "" in a node's inputs or outputs is an omitted optional.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "engine/ir/tensor.h"

namespace assay {

struct Graph;
using GraphPtr = std::shared_ptr<const Graph>;

// ONNX attribute kinds in use: INT, FLOAT, STRING, INTS, FLOATS, STRINGS, TENSOR, GRAPH.
using Attribute = std::variant<Index, float, std::string, std::vector<Index>, std::vector<float>,
                               std::vector<std::string>, Tensor, GraphPtr>;
using AttributeMap = std::map<std::string, Attribute>;

struct Node {
  std::string name;  // as in the file; load gives unnamed nodes "<op_type>_<position>"
  std::string op_type;
  std::string domain;  // "" is ai.onnx
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  AttributeMap attributes;
  std::string origin;  // the passes that made this node, in order, ", " between them; "" for the model's own
  // The last `captures` inputs are outer values that the node's subgraphs use. Every subgraph has them as its last
  // graph inputs, in the same order, so a subgraph is a graph of its own and a capture is a use like any other.
  std::size_t captures = 0;

  // The attribute if it is there with this type, else the default.
  Index int_attribute(const std::string& key, Index fallback) const;
  float float_attribute(const std::string& key, float fallback) const;
  std::string string_attribute(const std::string& key, const std::string& fallback) const;
  std::vector<Index> ints_attribute(const std::string& key) const;  // {} if absent
  bool has_attribute(const std::string& key) const { return attributes.contains(key); }
  // Input i or "" where the node has fewer.
  const std::string& input(std::size_t i) const;
  GraphPtr graph_attribute(const std::string& key) const;  // null if absent
  std::size_t own_inputs() const { return inputs.size() - captures; }
};

// A dimension is a size, a name shared by equal dimensions, or unknown (size -1, no name).
struct Dim {
  Index size = -1;
  std::string name;
  bool known() const { return size >= 0; }
};

struct ValueInfo {
  std::string name;
  DType dtype = DType::kUndefined;
  bool has_shape = false;  // a rank is known
  std::vector<Dim> dims;
};

inline constexpr const char* kMicrosoftDomain = "com.microsoft";
// assay's own fused operators, which only the optimiser makes: ByteLookup, ElementwiseChain, and the integer products
// QLinearConv, QLinearMatMul and QGemm with clamp_min and clamp_max (INT, in quantized units); see onnx/ops/fused.cpp.
inline constexpr const char* kAssayDomain = "ai.assay";

struct Graph {
  std::string name;
  Index ir_version = 8;
  std::map<std::string, Index> opsets;  // domain -> version; "" is ai.onnx
  std::vector<ValueInfo> inputs;        // without the initializers
  std::vector<ValueInfo> outputs;
  std::map<std::string, Tensor> initializers;
  std::map<std::string, ValueInfo> value_infos;  // types of inner values, as far as the file states them
  std::vector<Node> nodes;
  std::map<std::string, std::string> metadata;

  Index opset(const std::string& domain = "") const;  // 0 if not imported
  bool is_input(const std::string& value) const;
  bool is_output(const std::string& value) const;
  // The constant behind a value: an initializer, or null. (Constant nodes become initializers at load.)
  const Tensor* constant(const std::string& value) const;
};

// Who makes and who uses each value, for one state of the graph: rebuild after a rewrite.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);
  // Position of the producing node in graph.nodes, or -1.
  Index producer(const std::string& value) const;
  // Positions of the consuming nodes; a node that uses the value twice is listed twice.
  const std::vector<Index>& consumers(const std::string& value) const;
  std::size_t consumer_count(const std::string& value) const { return consumers(value).size(); }

 private:
  std::unordered_map<std::string, Index> producers_;
  std::unordered_map<std::string, std::vector<Index>> consumers_;
};

// Orders nodes so that producers come first, keeping the given order otherwise. Errors: a value with two producers,
// a value that nothing produces, a cycle (each named with its node).
Status topological_sort(Graph& graph);

// Removes nodes none of whose outputs reach a graph output, and initializers that nothing uses.
void remove_dead_nodes(Graph& graph);

// The values that the graph has of its own: inputs, initializers and what its nodes make.
std::unordered_set<std::string> made_names(const Graph& graph);
// Every name that stands in the graph, of values and of nodes.
std::unordered_set<std::string> taken_names(const Graph& graph);

// `base`, or `base` with a number behind it, that no value or node of the graph has.
std::string fresh_name(const Graph& graph, const std::string& base);

// Renames every use (inputs of nodes, not outputs of the graph) of a value.
void replace_uses(Graph& graph, const std::string& from, const std::string& to);

// "Conv node 'conv1' (opset 13)": how messages name a node.
std::string node_text(const Graph& graph, const Node& node);

}  // namespace assay
