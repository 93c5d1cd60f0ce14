// SPDX-License-Identifier: Apache-2.0
// Small float graphs for the quantizer's tests, and what is asked of quantized ones.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/quantizer/range_table.h"

namespace assay::test {

class GraphBuilder {
 public:
  explicit GraphBuilder(Index opset = 13) {
    graph_.name = "test";
    graph_.opsets[""] = opset;
  }
  GraphBuilder& input(const std::string& name, const Shape& shape, DType dtype = DType::kFloat32) {
    graph_.inputs.push_back(info(name, shape, dtype));
    return *this;
  }
  GraphBuilder& output(const std::string& name, const Shape& shape, DType dtype = DType::kFloat32) {
    graph_.outputs.push_back(info(name, shape, dtype));
    return *this;
  }
  GraphBuilder& constant(const std::string& name, Tensor tensor) {
    graph_.initializers[name] = std::move(tensor);
    return *this;
  }
  // The node's name is `name`, its output too.
  GraphBuilder& node(const std::string& op_type, const std::string& name, std::vector<std::string> inputs,
                     AttributeMap attributes = {}) {
    Node node;
    node.name = name;
    node.op_type = op_type;
    node.inputs = std::move(inputs);
    node.outputs = {name};
    node.attributes = std::move(attributes);
    graph_.nodes.push_back(std::move(node));
    return *this;
  }
  Graph build() const { return graph_; }

 private:
  static ValueInfo info(const std::string& name, const Shape& shape, DType dtype) {
    ValueInfo value{.name = name, .dtype = dtype, .has_shape = true, .dims = {}};
    for (const Index size : shape) {
      value.dims.push_back({.size = size, .name = ""});
    }
    return value;
  }
  Graph graph_;
};

inline Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::from<float>(shape, values);
}

inline quantizer::RangeTable ranges(const std::vector<std::pair<std::string, std::pair<double, double>>>& entries) {
  quantizer::RangeTable table;
  for (const auto& [name, range] : entries) {
    table[name] = {.range = {.min = range.first, .max = range.second}, .fault = "", .rank = -1};
  }
  return table;
}

// Operator types in the order of the nodes.
inline std::vector<std::string> op_types(const Graph& graph) {
  std::vector<std::string> types;
  for (const Node& node : graph.nodes) {
    types.push_back(node.op_type);
  }
  return types;
}
inline Index count_op(const Graph& graph, const std::string& op_type) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                       [&](const Node& node) { return node.op_type == op_type; });
}
// The only node of a type; a default node (no type) if there is none or more than one.
inline Node only_node(const Graph& graph, const std::string& op_type) {
  if (count_op(graph, op_type) != 1) {
    return {};
  }
  return *std::find_if(graph.nodes.begin(), graph.nodes.end(),
                       [&](const Node& node) { return node.op_type == op_type; });
}
inline const Node* producer_of(const Graph& graph, const std::string& value) {
  const Index i = GraphIndex(graph).producer(value);
  return i < 0 ? nullptr : &graph.nodes[static_cast<std::size_t>(i)];
}
// A constant as doubles; {} if there is none.
inline std::vector<double> constant_values(const Graph& graph, const std::string& name) {
  const Tensor* tensor = graph.constant(name);
  return tensor == nullptr ? std::vector<double>{} : tensor->to_doubles();
}

}  // namespace assay::test
