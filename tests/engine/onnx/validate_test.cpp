// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/validate.h"

#include <gtest/gtest.h>

#include "engine/onnx/versions.h"
#include "tests/engine/onnx/expect_error.h"
#include "tests/engine/onnx/model_builder.h"

namespace assay {
namespace {

using test::add_attribute;
using test::add_initializer;
using test::add_node;
using test::conv_model;
using test::fails_with;
using test::load_model;
using Attribute = ::onnx::AttributeProto;
using Type = ::onnx::TensorProto;

constexpr auto kInvalid = ErrorKind::kInvalidModel;
constexpr auto kUnsupported = ErrorKind::kUnsupported;

// One node 'n' that reads x (and constants c0, c1, ... of one float each) and makes y.
::onnx::ModelProto one_node(Index opset, const std::string& op_type, int constants = 0,
                            const std::string& domain = "") {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  if (!domain.empty()) {
    auto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(1);
  }
  ::onnx::GraphProto& graph = *model.mutable_graph();
  test::add_value(*graph.add_input(), "x", Type::FLOAT, {1});
  test::add_value(*graph.add_output(), "y", Type::FLOAT, {1});
  std::vector<std::string> inputs = {"x"};
  for (int i = 0; i < constants; ++i) {
    inputs.push_back("c" + std::to_string(i));
    add_initializer(model, inputs.back(), Type::FLOAT, {}).add_float_data(1);
  }
  ::onnx::NodeProto& node = add_node(model, op_type, inputs, {"y"});
  node.set_name("n");
  node.set_domain(domain);
  return model;
}

::onnx::NodeProto& node_of(::onnx::ModelProto& model) { return *model.mutable_graph()->mutable_node(0); }

TEST(Validate, KnowsIrVersions) {
  for (Index version = onnx::kOldestIrVersion; version <= onnx::kNewestIrVersion; ++version) {
    ::onnx::ModelProto model = conv_model();
    model.set_ir_version(version);
    EXPECT_TRUE(load_model(model).ok()) << version;
  }
  for (const Index version : {Index{2}, onnx::kNewestIrVersion + 1, Index{-1}}) {
    ::onnx::ModelProto model = conv_model();
    model.set_ir_version(version);
    EXPECT_TRUE(fails_with(load_model(model), kUnsupported,
                           "IR version " + std::to_string(version) + " is not between 3 and 14"));
  }
}

TEST(Validate, KnowsOpsets) {
  for (Index version = onnx::kOldestOpset; version <= onnx::kNewestOpset; ++version) {
    ::onnx::ModelProto model = conv_model();
    model.mutable_opset_import(0)->set_version(version);
    EXPECT_TRUE(load_model(model).ok()) << version;
  }
  ::onnx::ModelProto model = conv_model();
  model.mutable_opset_import(0)->set_version(30);
  EXPECT_TRUE(
      fails_with(load_model(model), kUnsupported, "ai.onnx opset 30 is newer than 28, the newest this build knows"));
  model.mutable_opset_import(0)->set_version(6);
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "ai.onnx opset 6 is older than 7"));
  model.mutable_opset_import(0)->set_version(0);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "ai.onnx opset 0 is not a version"));
  model.clear_opset_import();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "opset_import is missing"));
}

TEST(Validate, KnowsDomains) {
  ::onnx::ModelProto model = one_node(13, "Relu", 0, "com.example");
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported,
                         "com.example.Relu node 'n' (opset 1): this build has no operators of domain com.example"));
  model = one_node(13, "Relu");
  node_of(model).set_domain("com.microsoft");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "no opset_import for its domain com.microsoft"));
  node_of(model).set_domain("ai.onnx");
  const Result<Graph> graph = load_model(model);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph.value().nodes[0].domain, "");
  // An import that no node uses may be of any domain and version.
  model = one_node(13, "Relu");
  auto& import = *model.add_opset_import();
  import.set_domain("ai.onnx.ml");
  import.set_version(99);
  EXPECT_TRUE(load_model(model).ok());
}

TEST(Validate, KnowsOperators) {
  EXPECT_TRUE(fails_with(load_model(one_node(13, "Frobnicate")), kUnsupported,
                         "Frobnicate node 'n' (opset 13): operator Frobnicate of domain ai.onnx is not one"));
  EXPECT_TRUE(
      fails_with(load_model(one_node(13, "HardSwish")), kInvalid,
                 "HardSwish node 'n' (opset 13): operator HardSwish of domain ai.onnx does not exist in opset 13"));
  EXPECT_TRUE(load_model(one_node(14, "HardSwish")).ok());
}

TEST(Validate, CountsOperands) {
  ::onnx::ModelProto model = conv_model();
  node_of(model).mutable_input()->RemoveLast();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "Conv node 'conv' (opset 13): needs 2 to 3 inputs, but has 1"));
  model = conv_model();
  node_of(model).set_input(1, "");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "Conv node 'conv' (opset 13): input 1 may not be left out"));
  model = conv_model();
  node_of(model).add_input("");
  EXPECT_TRUE(load_model(model).ok());
  node_of(model).add_output("z");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "needs 1 outputs, but has 2"));
  node_of(model).clear_output();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "needs 1 outputs, but has 0"));
  model = conv_model();
  node_of(model).set_output(0, "");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "output 0 may not be left out"));
}

TEST(Validate, ChecksAttributes) {
  ::onnx::ModelProto model = conv_model();
  add_attribute(node_of(model), "colour", Attribute::INT);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid,
                         "Conv node 'conv' (opset 13): attribute 'colour' is not one of this operator"));
  model = conv_model();
  add_attribute(node_of(model), "group", Attribute::FLOAT);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "attribute 'group' must have type int, not float"));
  model = one_node(13, "MaxPool");
  EXPECT_TRUE(
      fails_with(load_model(model), kInvalid, "MaxPool node 'n' (opset 13): attribute 'kernel_shape' is missing"));
}

TEST(Validate, AttributesBelongToOpsets) {
  ::onnx::ModelProto model = one_node(18, "AveragePool");
  test::add_ints(node_of(model), "kernel_shape", {1});
  test::add_ints(node_of(model), "dilations", {1});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "attribute 'dilations' is not one of this operator"));
  model.mutable_opset_import(0)->set_version(19);
  EXPECT_TRUE(load_model(model).ok());

  model = one_node(13, "Reshape", 1);
  add_attribute(node_of(model), "allowzero", Attribute::INT);
  EXPECT_FALSE(load_model(model).ok());
  model.mutable_opset_import(0)->set_version(14);
  EXPECT_TRUE(load_model(model).ok());
}

TEST(Validate, FormsChangeWithTheOpset) {
  ::onnx::ModelProto clip = one_node(10, "Clip");
  add_attribute(node_of(clip), "min", Attribute::FLOAT).set_f(0);
  EXPECT_TRUE(load_model(clip).ok());
  clip.mutable_opset_import(0)->set_version(11);
  EXPECT_TRUE(fails_with(load_model(clip), kInvalid, "attribute 'min' is not one of this operator"));
  EXPECT_TRUE(load_model(one_node(11, "Clip", 2)).ok());
  EXPECT_TRUE(fails_with(load_model(one_node(10, "Clip", 2)), kInvalid, "needs 1 inputs, but has 3"));

  EXPECT_TRUE(fails_with(load_model(one_node(13, "Unsqueeze")), kInvalid, "needs 2 inputs, but has 1"));
  EXPECT_TRUE(fails_with(load_model(one_node(12, "Unsqueeze")), kInvalid, "attribute 'axes' is missing"));
  EXPECT_TRUE(load_model(one_node(13, "Unsqueeze", 1)).ok());
  EXPECT_TRUE(load_model(one_node(12, "Squeeze")).ok());
  EXPECT_TRUE(fails_with(load_model(one_node(17, "Pad", 3)), kInvalid, "needs 2 to 3 inputs, but has 4"));
  EXPECT_TRUE(load_model(one_node(18, "Pad", 3)).ok());
  EXPECT_TRUE(fails_with(load_model(one_node(10, "Gemm", 1)), kInvalid, "needs 3 inputs, but has 2"));
  EXPECT_TRUE(load_model(one_node(11, "Gemm", 1)).ok());
}

TEST(Validate, RefusesTraining) {
  ::onnx::ModelProto model = one_node(14, "BatchNormalization", 4);
  EXPECT_TRUE(load_model(model).ok());
  add_attribute(node_of(model), "training_mode", Attribute::INT).set_i(1);
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "training_mode must be 0, not 1"));
  model = one_node(9, "BatchNormalization", 4);
  node_of(model).add_output("mean");
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "outputs of training"));
  model = one_node(8, "BatchNormalization", 4);
  add_attribute(node_of(model), "spatial", Attribute::INT).set_i(0);
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "spatial must be 1, not 0"));
}

TEST(Validate, RefusesOtherQuantization) {
  ::onnx::ModelProto model = one_node(21, "QuantizeLinear", 1);
  add_attribute(node_of(model), "output_dtype", Attribute::INT).set_i(3);
  EXPECT_TRUE(load_model(model).ok());
  node_of(model).mutable_attribute(0)->set_i(22);
  EXPECT_TRUE(load_model(model).ok());
  node_of(model).mutable_attribute(0)->set_i(17);
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "output_dtype 17 is not supported"));
  model = one_node(21, "DequantizeLinear", 1);
  add_attribute(node_of(model), "block_size", Attribute::INT).set_i(32);
  EXPECT_TRUE(load_model(model).ok());
  node_of(model).mutable_attribute(0)->set_i(-1);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "block_size is not negative; found -1"));
  model = one_node(23, "QuantizeLinear", 1);
  add_attribute(node_of(model), "precision", Attribute::INT).set_i(10);
  EXPECT_TRUE(fails_with(load_model(model), kUnsupported, "precision 10"));
  model = one_node(12, "QuantizeLinear", 1);
  add_attribute(node_of(model), "axis", Attribute::INT).set_i(0);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "attribute 'axis' is not one of this operator"));
}

TEST(Validate, KnowsOptionalInputsInTheMiddle) {
  ::onnx::ModelProto model = one_node(13, "QLinearAdd", 7, "com.microsoft");
  node_of(model).set_input(2, "");
  EXPECT_TRUE(load_model(model).ok());
  node_of(model).set_input(1, "");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "input 1 may not be left out"));
  model = one_node(13, "QLinearConcat", 5, "com.microsoft");
  add_attribute(node_of(model), "axis", Attribute::INT);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "must be 2 + 3n, not 6"));
}

TEST(Validate, KnowsItsOwnClamps) {
  ::onnx::ModelProto model = one_node(13, "QLinearConv", 7, "ai.assay");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "attribute 'clamp_max' is missing"));
  add_attribute(node_of(model), "clamp_min", Attribute::INT).set_i(9);
  add_attribute(node_of(model), "clamp_max", Attribute::INT).set_i(8);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "clamp_min 9 is above clamp_max 8"));
  node_of(model).mutable_attribute(1)->set_i(9);
  EXPECT_TRUE(load_model(model).ok());
}

TEST(Validate, EveryValueHasOneProducer) {
  ::onnx::ModelProto model = conv_model();
  add_node(model, "Relu", {"x"}, {"y"});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "value 'y' already has a producer"));
  model = conv_model();
  add_node(model, "Relu", {"nowhere"}, {"z"});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "input 'nowhere' is made by no node"));
  model = conv_model();
  model.mutable_graph()->mutable_output(0)->set_name("z");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "graph output 'z' is made by no node"));
  model = one_node(13, "Add");
  node_of(model).add_input("y");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "the graph has a cycle through Add node 'n'"));
}

TEST(Validate, GraphInputsAndOutputsHaveNamesOfTheirOwn) {
  ::onnx::ModelProto model = conv_model();
  *model.mutable_graph()->add_input() = model.graph().input(0);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "graph input 'x' is given twice"));
  model = conv_model();
  *model.mutable_graph()->add_output() = model.graph().output(0);
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "graph output 'y' is given twice"));
  model = conv_model();
  model.mutable_graph()->mutable_input(0)->set_name("");
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "a graph input has no name"));
  model = conv_model();
  model.mutable_graph()->clear_output();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "the graph has no outputs"));
  model = conv_model();
  model.mutable_graph()->mutable_input(0)->clear_type();
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "graph input 'x' has no type"));
  model = conv_model();
  add_initializer(model, "", Type::FLOAT, {0});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "an initializer has no name"));
}

TEST(Validate, InputsThatAreInitializersLeaveTheInputs) {
  ::onnx::ModelProto model = conv_model();
  model.set_ir_version(3);
  test::add_value(*model.mutable_graph()->add_input(), "w", Type::FLOAT, {2, 2, 1, 1});
  const Result<Graph> graph = load_model(model);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_EQ(graph.value().inputs.size(), 1U);
  EXPECT_EQ(graph.value().inputs[0].name, "x");
}

TEST(Validate, InputsThatAreInitializersMustFitThem) {
  ::onnx::ModelProto model = conv_model();
  test::add_value(*model.mutable_graph()->add_input(), "w", Type::INT8, {2, 2, 1, 1});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "initializer 'w' is float32[2,2,1,1], but the graph input"));
  model = conv_model();
  test::add_value(*model.mutable_graph()->add_input(), "w", Type::FLOAT, {2, 3, 1, 1});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "has 3 in dimension 1"));
  model = conv_model();
  test::add_value(*model.mutable_graph()->add_input(), "w", Type::FLOAT, {4});
  EXPECT_TRUE(fails_with(load_model(model), kInvalid, "has rank 1"));
}

TEST(Validate, NodesGetNamesOfTheirOwn) {
  ::onnx::ModelProto model = conv_model();
  add_node(model, "Relu", {"y"}, {"z"});
  add_node(model, "Relu", {"z"}, {"z2"}).set_name("conv");
  add_node(model, "Relu", {"z2"}, {"z3"}).set_name("Relu_1");
  const Result<Graph> graph = load_model(model);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  std::vector<std::string> names;
  for (const Node& node : graph.value().nodes) {
    names.push_back(node.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"conv", "Relu_1_1", "conv_1", "Relu_1"}));
}

TEST(Validate, NodesAreSorted) {
  ::onnx::ModelProto model = conv_model();
  node_of(model).set_input(0, "r");
  add_node(model, "Relu", {"x"}, {"r"});
  const Result<Graph> graph = load_model(model);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph.value().nodes[0].op_type, "Relu");
}

}  // namespace
}  // namespace assay
