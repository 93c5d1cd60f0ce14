// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/model_source.h"

#include <gtest/gtest.h>

#include "harness/spec/inline_attribute.h"

namespace assay::spec {
namespace {

Case case_of(const std::string& model) {
  CaseOrErrors parsed = parse_case("f.json", "{\"name\": \"c\", \"model\":\n" + model + "}");
  EXPECT_TRUE(parsed.value) << (parsed.errors.empty() ? "" : parsed.errors.front());
  return parsed.value.value_or(Case{});
}

std::string error_of(const std::string& model) {
  const auto loaded = load_model(case_of(model));
  return loaded.ok() ? "no error" : loaded.error().message;
}

TEST(InlineGraph, BuildsAModel) {
  const auto model = load_model(case_of(R"({"graph": {
    "opset": 11,
    "inputs": {"x": {"type": "float32", "shape": [1, 1, "H", null]}},
    "initializers": {"w": {"type": "float32", "shape": [1, 1, 1, 1], "data": [127]},
                     "lo": {"type": "float32", "shape": [], "constant": 0},
                     "b": {"type": "float32", "shape": [1], "data": {"random": {"seed": 1}}}},
    "nodes": [{"op": "Conv", "name": "conv", "inputs": ["x", "w", "b"], "outputs": ["c"],
               "attributes": {"kernel_shape": [1, 1], "group": 1, "auto_pad": "NOTSET"}},
              {"op": "Clip", "inputs": ["c", "lo", ""], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [1, 1, "H", null]}}}})"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Graph& graph = model.value().graph();
  EXPECT_EQ(graph.opset(), 11);
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.inputs[0].dims[2].name, "H");
  EXPECT_FALSE(graph.inputs[0].dims[3].known());
  EXPECT_EQ(graph.initializers.at("w").to_doubles(), std::vector<double>{127});
  EXPECT_EQ(graph.initializers.at("lo").shape(), Shape{});
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].ints_attribute("kernel_shape"), (std::vector<Index>{1, 1}));
  EXPECT_EQ(graph.nodes[0].string_attribute("auto_pad", ""), "NOTSET");
  EXPECT_EQ(graph.nodes[1].name, "Clip_1");
  EXPECT_EQ(graph.nodes[1].input(1), "lo");
}

TEST(InlineGraph, TypesAttributesByTheOperator) {
  const auto model = load_model(case_of(R"({"graph": {"inputs": {"x": {"type": "float32", "shape": [2, 3]}},
    "nodes": [{"op": "LeakyRelu", "inputs": ["x"], "outputs": ["a"], "attributes": {"alpha": 1}},
              {"op": "Constant", "outputs": ["s"],
               "attributes": {"value": {"type": "int64", "shape": [2], "values": [3, 2]}}},
              {"op": "Reshape", "inputs": ["a", "s"], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [3, 2]}}}})"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  for (const Node& node : model.value().graph().nodes) {
    if (node.op_type == "LeakyRelu") {
      EXPECT_EQ(node.float_attribute("alpha", 0), 1.0F);
    }
  }
}

TEST(InlineGraph, ErrorsSayWhere) {
  EXPECT_EQ(error_of(R"({"graph": {"initializers": {"w": {"type": "uint8", "shape": [2], "data": [1, 256]}},
    "nodes": [], "outputs": {"w": {"type": "uint8"}}}})"),
            "f.json:2:78: initializer 'w': 256 does not fit uint8 (whole numbers in [0,255])");
  EXPECT_EQ(error_of(R"({"graph": {"initializers": {"w": {"type": "uint8", "shape": [3], "data": [1, 2]}},
    "nodes": [], "outputs": {"w": {"type": "uint8"}}}})"),
            "f.json:2:74: initializer 'w': 2 values do not fill the graph's shape [3]");
  EXPECT_EQ(error_of(R"({"graph": {"inputs": {"x": {"type": "float32", "shape": [1]}},
    "nodes": [{"op": "LeakyRelu", "inputs": ["x"], "outputs": ["y"], "attributes": {"alpha": "a"}}],
    "outputs": {"y": {"type": "float32"}}}})"),
            "f.json:3:94: attribute 'alpha' must be a number, found \"a\"");
  EXPECT_EQ(error_of(R"({"graph": {"inputs": {"x": {"type": "float32", "shape": [1]}},
    "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["y"]}, {"op": "Relu", "name": "Relu_0", "inputs": ["x"], "outputs": ["z"]}],
    "outputs": {"y": {"type": "float32"}}}})"),
            "f.json:3:66: two nodes are named 'Relu_0'");
  // The engine's own message, at the node it names.
  const std::string unknown = error_of(R"({"graph": {"inputs": {"x": {"type": "float32", "shape": [1]}},
    "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["z"]},
              {"op": "NoSuchOp", "inputs": ["z"], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [1]}}}})");
  EXPECT_EQ(unknown.substr(0, 13), "f.json:4:15: ");
  EXPECT_NE(unknown.find("NoSuchOp"), std::string::npos) << unknown;
}

TEST(InlineGraph, OpsetsMustAgree) {
  EXPECT_EQ(
      error_of(
          R"({"graph": {"opset": 13, "opsets": {"ai.onnx": 12}, "nodes": [], "outputs": {"y": {"type": "float32"}}}})"),
      "f.json:2:47: 'opsets' says 12 for the standard operators, 'opset' 13");
}

TEST(InlineGraph, OpsetIsNamedAsItWasGiven) {
  for (const std::string opset : {"1099511627776", "1000000001", "10000000000000000000"}) {
    const std::string message =
        error_of(R"({"graph": {"opset": )" + opset + R"(, "nodes": [], "outputs": {"y": {"type": "float32"}}}})");
    EXPECT_NE(message.find(opset), std::string::npos) << message;
  }
}

std::string attribute(const std::string& json, const std::string& type) {
  const auto result = inline_attribute(Element(Document::parse("f", json).value()), "a", type);
  if (!result.ok()) {
    return result.error().message;
  }
  constexpr const char* kNames[] = {"int", "float", "string", "ints", "floats", "strings", "tensor"};
  return kNames[result.value().index()];
}

TEST(InlineAttribute, TakesTheTypeOfTheOperator) {
  EXPECT_EQ(attribute("1", "float"), "float");
  EXPECT_EQ(attribute("[1, 2]", "floats"), "floats");
  EXPECT_EQ(attribute("[]", "ints"), "ints");
  EXPECT_EQ(attribute("2.0", "int"), "int");
  EXPECT_EQ(attribute("true", "int"), "int");
  EXPECT_EQ(attribute("1.5", "int"), "f:1:1: attribute 'a' must be a whole number, found 1.5");
  EXPECT_EQ(attribute("1", "ints"), "f:1:1: attribute 'a' must be a list of whole numbers, found 1");
  EXPECT_EQ(attribute("[1]", "strings"), "f:1:1: attribute 'a' must be a list of texts, found [1]");
  EXPECT_EQ(attribute("1", "tensor"),
            "f:1:1: attribute 'a' must be a tensor {\"type\", \"shape\", \"values\"}, found 1");
  EXPECT_EQ(attribute(R"({"type": "int8", "value": 1})", "tensor"),
            "f:1:18: unknown key 'value'; nearest known key is 'values'");
  EXPECT_EQ(attribute(R"({"type": "int8", "values": [[1, 2]]})", "tensor"), "tensor");
}

TEST(InlineAttribute, GuessesForUnknownOperators) {
  EXPECT_EQ(attribute("1", ""), "int");
  EXPECT_EQ(attribute("1.0", ""), "float");
  EXPECT_EQ(attribute("\"a\"", ""), "string");
  EXPECT_EQ(attribute("[1, 2.5]", ""), "floats");
  EXPECT_EQ(attribute("[1, 2]", ""), "ints");
  EXPECT_EQ(attribute("[\"a\"]", ""), "strings");
  EXPECT_EQ(attribute(R"({"type": "int8", "values": 1, "shape": []})", ""), "tensor");
}

TEST(Recipe, MakesCheckedModels) {
  for (const char* name : {"conv_relu_stack", "mobilenet_like", "mlp"}) {
    const auto model = load_model(case_of("{\"recipe\": \"" + std::string(name) + "\"}"));
    ASSERT_TRUE(model.ok()) << name << ": " << model.error().message;
    EXPECT_EQ(model.value().graph().inputs[0].name, "x");
    EXPECT_EQ(model.value().graph().outputs[0].name, "y");
  }
}

TEST(Recipe, IsDeterminedByItsSeed) {
  const auto weights = [](const std::string& seed) {
    return load_model(case_of("{\"recipe\": \"mlp\", \"layers\": 1, \"seed\": " + seed + "}"))
        .value()
        .graph()
        .initializers.at("gemm0.weight")
        .to_doubles();
  };
  EXPECT_EQ(weights("1"), weights("1"));
  EXPECT_NE(weights("1"), weights("2"));
}

TEST(Recipe, TakesItsParametersOnly) {
  const auto model = load_model(case_of(R"({"recipe": "conv_relu_stack", "channels": 5, "layers": 2, "size": 7,
                                         "input_channels": 1, "batch": "N"})"));
  EXPECT_EQ(model.value().graph().nodes.size(), 4U);
  EXPECT_FALSE(model.value().graph().inputs[0].dims[0].known());
  EXPECT_EQ(model.value().graph().outputs[0].dims[1].size, 5);
  EXPECT_EQ(error_of(R"({"recipe": "mlp", "input_channels": 1})"),
            "f.json:2:19: recipe 'mlp' has no 'input_channels'; it has channels, layers, size, classes, batch, seed");
  EXPECT_EQ(error_of(R"({"recipe": "mlp", "layers": 1e9})"),
            "f.json:2:29: 'layers' must be at most 1000, found 1000000000.0");
}

TEST(ModelPath, NamesAMissingFile) {
  const std::string message = error_of(R"({"path": "none.onnx"})");
  EXPECT_NE(message.find("none.onnx"), std::string::npos) << message;
}

}  // namespace
}  // namespace assay::spec
