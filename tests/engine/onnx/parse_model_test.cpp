// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/parse_model.h"

#include <gtest/gtest.h>

#include "tests/engine/onnx/expect_error.h"
#include "tests/engine/onnx/model_builder.h"

namespace assay {
namespace {

using test::add_attribute;
using test::add_initializer;
using test::add_node;
using test::conv_model;
using test::fails_with;
using test::load_bytes;
using test::load_model;
using Attribute = ::onnx::AttributeProto;
using Type = ::onnx::TensorProto;

constexpr auto kInvalid = ErrorKind::kInvalidModel;
constexpr auto kUnsupported = ErrorKind::kUnsupported;

TEST(ParseModel, ReadsAConvolution) {
  const Result<Graph> graph = load_model(conv_model());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph.value().ir_version, 8);
  EXPECT_EQ(graph.value().opset(), 13);
  ASSERT_EQ(graph.value().nodes.size(), 1U);
  const Node& node = graph.value().nodes[0];
  EXPECT_EQ(node.name, "conv");
  EXPECT_EQ(node.ints_attribute("strides"), (std::vector<Index>{1, 1}));
  const Tensor* weight = graph.value().constant("w");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->shape(), (Shape{2, 2, 1, 1}));
  EXPECT_EQ(weight->to_doubles(), (std::vector<double>{1, -2, 0.5, 3}));
  ASSERT_EQ(graph.value().inputs.size(), 1U);
  EXPECT_EQ(graph.value().inputs[0].dtype, DType::kFloat32);
  EXPECT_EQ(graph.value().inputs[0].dims[1].size, 2);
}

TEST(ParseModel, ReadsEveryKindOfAttribute) {
  ::onnx::ModelProto model = conv_model();
  ::onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
  add_attribute(node, "i", Attribute::INT).set_i(-7);
  add_attribute(node, "f", Attribute::FLOAT).set_f(0.25F);
  add_attribute(node, "s", Attribute::STRING).set_s("\xC3\xA9");
  add_attribute(node, "fs", Attribute::FLOATS).add_floats(1.5F);
  add_attribute(node, "ss", Attribute::STRINGS).add_strings("a");
  Type& tensor = *add_attribute(node, "t", Attribute::TENSOR).mutable_t();
  tensor.set_data_type(Type::INT64);
  tensor.add_int64_data(5);
  const std::string bytes = model.SerializeAsString();
  const Result<Graph> graph = onnx::parse_model(std::as_bytes(std::span(bytes)), std::nullopt);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Node& read = graph.value().nodes[0];
  EXPECT_EQ(read.int_attribute("i", 0), -7);
  EXPECT_EQ(read.float_attribute("f", 0), 0.25F);
  EXPECT_EQ(read.string_attribute("s", ""), "\xC3\xA9");
  EXPECT_EQ(std::get<std::vector<float>>(read.attributes.at("fs")), (std::vector<float>{1.5F}));
  EXPECT_EQ(std::get<std::vector<std::string>>(read.attributes.at("ss")), (std::vector<std::string>{"a"}));
  EXPECT_EQ(std::get<Tensor>(read.attributes.at("t")).to_indices(), (std::vector<Index>{5}));
}

TEST(ParseModel, RefusesWhatIsNotAModel) {
  EXPECT_TRUE(fails_with(load_bytes(""), kInvalid, "is empty, not an ONNX model"));
  EXPECT_TRUE(fails_with(load_bytes("hello, world"), kInvalid, "is not an ONNX model"));
  EXPECT_TRUE(fails_with(load_bytes(std::string(64, '\xFF')), kInvalid, "is not an ONNX model"));
  ::onnx::ModelProto model = conv_model();
  model.clear_graph();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "has no graph"));
  model = conv_model();
  model.clear_ir_version();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "has no IR version"));
}

TEST(ParseModel, RefusesPartsItDoesNotHave) {
  ::onnx::ModelProto model = conv_model();
  model.add_functions()->set_name("f");
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "function 'f'"));
  model = conv_model();
  model.add_training_info();
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "training information"));
  model = conv_model();
  model.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("s");
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "sparse initializer 's'"));
  model = conv_model();
  add_attribute(*model.mutable_graph()->mutable_node(0), "body", Attribute::GRAPHS).add_graphs();
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "Conv node 'conv': attribute 'body' is a list of subgraphs"));
  model = conv_model();
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "graph input 'x' is a sequence"));
  model = conv_model();
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(17);
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "graph input 'x': data type float8e4m3fn"));
}

TEST(ParseModel, RefusesBrokenParts) {
  ::onnx::ModelProto model = conv_model();
  add_initializer(model, "w", Type::FLOAT, {0});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "initializer 'w' is given twice"));
  model = conv_model();
  test::add_ints(*model.mutable_graph()->mutable_node(0), "strides", {2, 2});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "attribute 'strides' is given twice"));
  model = conv_model();
  add_attribute(*model.mutable_graph()->mutable_node(0), "a", Attribute::UNDEFINED);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "attribute 'a' has no type"));
  model = conv_model();
  add_attribute(*model.mutable_graph()->mutable_node(0), "a", Attribute::INT).set_ref_attr_name("b");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "outside a function"));
  model = conv_model();
  model.add_opset_import()->set_version(14);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "as version 13 and as version 14"));
  model = conv_model();
  model.mutable_graph()->mutable_node(0)->set_name("caf\xE9");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "node name 'caf\\xE9' is not UTF-8"));
  model = conv_model();
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-2);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "graph input 'x' has dimension -2"));
}

TEST(ParseModel, KeepsOpenDimensions) {
  ::onnx::ModelProto model = conv_model();
  auto& shape = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("batch");
  shape.mutable_dim(2)->clear_dim_value();
  shape.mutable_dim(3)->set_dim_value(-1);
  const Result<Graph> graph = load_model(model);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const std::vector<Dim>& dims = graph.value().inputs[0].dims;
  EXPECT_EQ(dims[0].name, "batch");
  EXPECT_FALSE(dims[0].known());
  EXPECT_TRUE(dims[1].known());
  EXPECT_FALSE(dims[2].known());
  EXPECT_FALSE(dims[3].known());
}

TEST(ParseModel, IgnoresTypesOfInnerValuesItLacks) {
  ::onnx::ModelProto model = conv_model();
  test::add_value(*model.mutable_graph()->add_value_info(), "inner", 17, {1});
  const Result<Graph> graph = load_model(model);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_TRUE(graph.value().value_infos.empty());
}

}  // namespace
}  // namespace assay
