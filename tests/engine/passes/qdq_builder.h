// SPDX-License-Identifier: Apache-2.0
// Small quantized graphs for the passes' tests, and what is asked of rewritten ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/passes/pass.h"

namespace assay::test {

struct QuantParams {
  float scale = 0.5F;
  Index zero_point = 128;
  DType dtype = DType::kUint8;
  bool leave_out_zero_point = false;
};

inline constexpr QuantParams kUnsigned = {.scale = 0.5F, .zero_point = 128, .dtype = DType::kUint8};
inline constexpr QuantParams kSigned = {.scale = 0.25F, .zero_point = 0, .dtype = DType::kInt8};

inline Tensor integers(DType dtype, const Shape& shape, const std::vector<Index>& values) {
  switch (dtype) {
    case DType::kInt8:
      return Tensor::from(shape, std::vector<std::int8_t>(values.begin(), values.end()));
    case DType::kUint8:
      return Tensor::from(shape, std::vector<std::uint8_t>(values.begin(), values.end()));
    default:
      return Tensor::from(shape, std::vector<std::int32_t>(values.begin(), values.end()));
  }
}

// Every node makes one value of its own name.
class QdqBuilder {
 public:
  explicit QdqBuilder(Index opset = 13) { graph_.opsets[""] = opset; }

  QdqBuilder& input(const std::string& name, const Shape& shape, DType dtype = DType::kFloat32) {
    graph_.inputs.push_back(info(name, shape, dtype));
    return *this;
  }
  QdqBuilder& output(const std::string& name, DType dtype = DType::kFloat32) {
    graph_.outputs.push_back({.name = name, .dtype = dtype, .has_shape = false, .dims = {}});
    return *this;
  }
  QdqBuilder& constant(const std::string& name, Tensor tensor) {
    graph_.initializers[name] = std::move(tensor);
    return *this;
  }
  QdqBuilder& node(const std::string& op_type, const std::string& name, std::vector<std::string> inputs,
                   AttributeMap attributes = {}, const std::string& domain = "") {
    Node node;
    node.name = name;
    node.op_type = op_type;
    node.domain = domain;
    node.inputs = std::move(inputs);
    node.outputs = {name};
    node.attributes = std::move(attributes);
    graph_.nodes.push_back(std::move(node));
    return *this;
  }
  QdqBuilder& indices(const std::string& name, const std::vector<Index>& values) {
    return constant(name, Tensor::from<Index>({static_cast<Index>(values.size())}, values));
  }
  // A float constant with every element the same.
  QdqBuilder& filled(const std::string& name, const Shape& shape, float value) {
    return constant(
        name, Tensor::from(shape, std::vector<float>(static_cast<std::size_t>(element_count(shape).value()), value)));
  }
  QdqBuilder& quantize(const std::string& name, const std::string& from, const QuantParams& params) {
    return linear("QuantizeLinear", name, from, params);
  }
  QdqBuilder& dequantize(const std::string& name, const std::string& from, const QuantParams& params) {
    return linear("DequantizeLinear", name, from, params);
  }
  // from -> <name>_q -> <name>
  QdqBuilder& pair(const std::string& name, const std::string& from, const QuantParams& params) {
    return quantize(name + "_q", from, params).dequantize(name, name + "_q", params);
  }
  // A constant <name>_q behind a DequantizeLinear.
  QdqBuilder& weight(const std::string& name, const Shape& shape, const std::vector<Index>& values,
                     const QuantParams& params) {
    return constant(name + "_q", integers(params.dtype, shape, values)).dequantize(name, name + "_q", params);
  }
  // The same with a scale per channel and zero points 0.
  QdqBuilder& channel_weight(const std::string& name, Tensor values, const std::vector<float>& scales, Index axis) {
    const auto count = static_cast<Index>(scales.size());
    constant(name + "_zero_point", integers(values.dtype(), {count}, std::vector<Index>(scales.size(), 0)));
    constant(name + "_scale", Tensor::from({count}, scales));
    constant(name + "_q", std::move(values));
    return node("DequantizeLinear", name, {name + "_q", name + "_scale", name + "_zero_point"}, {{"axis", axis}});
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
  QdqBuilder& linear(const std::string& op_type, const std::string& name, const std::string& from,
                     const QuantParams& params) {
    constant(name + "_scale", Tensor::scalar(params.scale));
    std::vector<std::string> inputs = {from, name + "_scale"};
    if (!params.leave_out_zero_point) {
      constant(name + "_zero_point", integers(params.dtype, {}, {params.zero_point}));
      inputs.push_back(name + "_zero_point");
    }
    return node(op_type, name, std::move(inputs));
  }

  Graph graph_;
};

// An input of which some dimensions are open (-1).
inline ValueInfo open_input(const std::string& name, const Shape& shape, DType dtype = DType::kFloat32) {
  ValueInfo value{.name = name, .dtype = dtype, .has_shape = true, .dims = {}};
  for (const Index size : shape) {
    value.dims.push_back({.size = size, .name = ""});
  }
  return value;
}

inline const passes::Pass& pass_named(const std::string& name) {
  const auto list = passes::passes();
  return *std::find_if(list.begin(), list.end(), [&](const passes::Pass& pass) { return pass.name == name; });
}

// Sorts, runs one pass and gives its number of rewrites, or -1 and a test failure for an error.
inline Index run_pass(const std::string& name, Graph& graph, const passes::PassContext& context = {}) {
  const Status sorted = topological_sort(graph);
  EXPECT_TRUE(sorted.ok()) << (sorted.ok() ? "" : sorted.error().message);
  const Result<Index> rewrites = pass_named(name).run(graph, context);
  EXPECT_TRUE(rewrites.ok()) << (rewrites.ok() ? "" : rewrites.error().message);
  remove_dead_nodes(graph);
  return rewrites.ok() ? rewrites.value() : -1;
}

// The number of rewrites of a pass on a graph that is not needed afterwards.
inline Index rewrites(const std::string& name, const QdqBuilder& builder) {
  Graph graph = builder.build();
  return run_pass(name, graph);
}

// Operators in the order of the nodes; those of other domains than ai.onnx with their domain.
inline std::vector<std::string> op_types(const Graph& graph) {
  std::vector<std::string> types;
  for (const Node& node : graph.nodes) {
    types.push_back((node.domain.empty() ? "" : node.domain + ".") + node.op_type);
  }
  return types;
}

// The node of this name; a default node where there is none.
inline Node node_named(const Graph& graph, const std::string& name) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.name == name; });
  return found == graph.nodes.end() ? Node() : *found;
}

inline Node& node_at(Graph& graph, const std::string& name) {
  return *std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.name == name; });
}

inline std::vector<double> constant_values(const Graph& graph, const std::string& name) {
  const Tensor* tensor = graph.constant(name);
  return tensor == nullptr ? std::vector<double>() : tensor->to_doubles();
}

using Types = std::vector<std::string>;

}  // namespace assay::test
