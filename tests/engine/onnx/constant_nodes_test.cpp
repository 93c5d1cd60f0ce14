// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/constant_nodes.h"

#include <gtest/gtest.h>

#include "tests/engine/onnx/expect_error.h"

namespace assay {
namespace {

using test::fails_with;

Graph constant_graph(const std::string& attribute, Attribute value) {
  Graph graph;
  graph.opsets[""] = 13;
  Node node;
  node.name = "c";
  node.op_type = "Constant";
  node.outputs = {"k"};
  node.attributes.emplace(attribute, std::move(value));
  graph.nodes = {node};
  return graph;
}

TEST(ConstantNodes, BecomeInitializers) {
  struct Case {
    std::string attribute;
    Attribute value;
    DType dtype;
    Shape shape;
    std::vector<double> values;
  };
  const Case cases[] = {
      {"value", Tensor::from<std::uint8_t>({1, 2}, {3, 4}), DType::kUint8, {1, 2}, {3, 4}},
      {"value_float", 0.5F, DType::kFloat32, {}, {0.5}},
      {"value_floats", std::vector<float>{1.5F, 2.5F}, DType::kFloat32, {2}, {1.5, 2.5}},
      {"value_int", Index{-3}, DType::kInt64, {}, {-3}},
      {"value_ints", std::vector<Index>{7, 8, 9}, DType::kInt64, {3}, {7, 8, 9}},
  };
  for (const Case& row : cases) {
    SCOPED_TRACE(row.attribute);
    Graph graph = constant_graph(row.attribute, row.value);
    ASSERT_TRUE(onnx::constant_nodes_to_initializers(graph).ok());
    EXPECT_TRUE(graph.nodes.empty());
    const Tensor* tensor = graph.constant("k");
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->dtype(), row.dtype);
    EXPECT_EQ(tensor->shape(), row.shape);
    EXPECT_EQ(tensor->to_doubles(), row.values);
  }
}

TEST(ConstantNodes, RefuseTextAndAmbiguity) {
  Graph text = constant_graph("value_string", std::string("a"));
  EXPECT_TRUE(fails_with(onnx::constant_nodes_to_initializers(text), ErrorKind::kUnsupported,
                         "Constant node 'c' (opset 13): attribute 'value_string' makes a string tensor"));
  Graph two = constant_graph("value_int", Index{1});
  two.nodes[0].attributes.emplace("value_float", 1.0F);
  EXPECT_TRUE(
      fails_with(onnx::constant_nodes_to_initializers(two), ErrorKind::kInvalidModel, "exactly one value attribute"));
  Graph none = constant_graph("value_int", Index{1});
  none.nodes[0].attributes.clear();
  EXPECT_TRUE(fails_with(onnx::constant_nodes_to_initializers(none), ErrorKind::kInvalidModel, "but has 0"));
  Graph taken = constant_graph("value_int", Index{1});
  taken.initializers["k"] = Tensor::scalar(1.0F);
  EXPECT_TRUE(
      fails_with(onnx::constant_nodes_to_initializers(taken), ErrorKind::kInvalidModel, "'k' already has a producer"));
}

}  // namespace
}  // namespace assay
