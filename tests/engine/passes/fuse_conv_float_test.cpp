// SPDX-License-Identifier: Apache-2.0
// fuse_conv_add and fuse_conv_activation: where they fire and where not. pass_equality_test.cpp has the values.
#include <gmock/gmock.h>

#include <cfloat>
#include <cmath>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

constexpr const char* kAdd = "fuse_conv_add";
constexpr const char* kActivation = "fuse_conv_activation";

// x [1,4,5,5] convolved to c [1,3,5,5].
QdqBuilder conv(Index opset = 17) {
  QdqBuilder builder(opset);
  builder.input("x", {1, 4, 5, 5}).filled("w", {3, 4, 1, 1}, 1).filled("b", {3}, 1);
  return std::move(builder.node("Conv", "c", {"x", "w", "b"}, {{"group", Index{1}}}));
}

QdqBuilder conv_add(const Shape& shape) {
  QdqBuilder builder = conv();
  return std::move(builder.input("z", shape).node("Add", "y", {"c", "z"}).output("y"));
}

TEST(FuseConvAdd, AnAddendOfTheSameShapeBecomesZ) {
  Graph graph = conv_add({1, 3, 5, 5}).build();
  ASSERT_EQ(run_pass(kAdd, graph), 1);
  ASSERT_EQ(graph.nodes.size(), 1U);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.op_type, "FusedConv");
  EXPECT_EQ(node.domain, kMicrosoftDomain);
  EXPECT_EQ(node.inputs, (Names{"x", "w", "b", "z"}));
  EXPECT_EQ(node.outputs, Names{"y"});
  EXPECT_EQ(node.name, "c");
  EXPECT_EQ(node.origin, kAdd);
  EXPECT_TRUE(node.has_attribute("group"));
  EXPECT_FALSE(node.has_attribute("activation"));
  EXPECT_EQ(graph.opset(kMicrosoftDomain), 1);
}

TEST(FuseConvAdd, WithoutABiasItIsLeftOut) {
  Graph graph = conv_add({1, 3, 5, 5}).build();
  graph.nodes[0].inputs.resize(2);
  graph.nodes[1].inputs = {"z", "c"};
  ASSERT_EQ(run_pass(kAdd, graph), 1);
  EXPECT_EQ(graph.nodes[0].inputs, (Names{"x", "w", "", "z"}));
}

TEST(FuseConvAdd, ItStandsBehindWhatMakesZ) {
  QdqBuilder builder = conv();
  builder.node("Conv", "d", {"x", "w"}).node("Abs", "a", {"d"}).node("Add", "y", {"c", "a"}).output("y");
  Graph graph = builder.build();
  ASSERT_EQ(run_pass(kAdd, graph), 1);
  EXPECT_EQ(graph.nodes.back().inputs, (Names{"x", "w", "b", "a"}));
}

// Sizes are followed through Pad and Resize.
TEST(FuseConvAdd, KnowsTheSizesOfPadAndResize) {
  const auto add = [](const Shape& half, std::vector<Index> pads, const std::vector<float>& scales) {
    QdqBuilder builder = conv();
    builder.input("h", half).indices("pads", std::move(pads)).node("Pad", "p", {"h", "pads"});
    builder.constant("scales", Tensor::from({4}, scales));
    builder.node("Resize", "z", {"p", "", "scales"}, {{"mode", std::string("nearest")}});
    return rewrites(kAdd, builder.node("Add", "y", {"c", "z"}).output("y"));
  };
  EXPECT_EQ(add({1, 3, 2, 1}, {0, 0, 0, 1, 0, 0, 0, 0}, {1, 1, 2.5F, 2.6F}), 1);
  EXPECT_EQ(add({1, 3, 2, 1}, {0, 0, 0, 1, 0, 0, 0, 0}, {1, 1, 2.5F, 2}), 0);
  EXPECT_EQ(add({1, 3, 2, 1}, {0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 2.5F, 2.6F}), 0);
}

TEST(FuseConvAdd, LeavesWhatIsNoSuchSum) {
  EXPECT_EQ(rewrites(kAdd, conv_add({1, 3, 1, 1})), 0);  // broadcasts
  EXPECT_EQ(rewrites(kAdd, conv_add({3, 5, 5})), 0);
  EXPECT_EQ(rewrites(kAdd, conv_add({2, 3, 5, 5})), 0);
  EXPECT_EQ(rewrites(kAdd, conv_add({1, 3, 5, 5}).output("c")), 0);
  EXPECT_EQ(rewrites(kAdd, conv_add({1, 3, 5, 5}).node("Relu", "r", {"c"}).output("r")), 0);
  EXPECT_EQ(rewrites(kAdd, conv().node("Add", "y", {"c", "c"}).output("y")), 0);
  EXPECT_EQ(rewrites(kAdd, conv().filled("z", {1, 3, 5, 5}, 1).node("Add", "y", {"c", "z"}).output("y")), 0);
  EXPECT_EQ(rewrites(kAdd, conv().input("z", {1, 3, 5, 5}).node("Sub", "y", {"c", "z"}).output("y")), 0);
  Graph open = conv_add({1, 3, 5, 5}).build();
  open.inputs[1].dims[0].size = -1;
  EXPECT_EQ(run_pass(kAdd, open), 0);
  Graph computed = conv_add({1, 3, 5, 5}).build();
  computed.initializers.erase("w");
  computed.inputs.push_back({.name = "w", .dtype = DType::kFloat32, .has_shape = true, .dims = {{3}, {4}, {1}, {1}}});
  EXPECT_EQ(run_pass(kAdd, computed), 0);
}

Graph activated(const std::string& op_type, AttributeMap attributes = {}, const Names& bounds = {}) {
  QdqBuilder builder = conv();
  builder.constant("low", Tensor::scalar(-1.0F)).constant("high", Tensor::scalar(6.0F));
  builder.constant("nan", Tensor::scalar(std::nanf("")));
  Names inputs = {"c"};
  inputs.insert(inputs.end(), bounds.begin(), bounds.end());
  return builder.node(op_type, "y", inputs, std::move(attributes)).output("y").build();
}

TEST(FuseConvActivation, TakesInReluLeakyReluAndClip) {
  Graph relu = activated("Relu");
  ASSERT_EQ(run_pass(kActivation, relu), 1);
  ASSERT_EQ(relu.nodes.size(), 1U);
  EXPECT_EQ(relu.nodes[0].op_type, "FusedConv");
  EXPECT_EQ(relu.nodes[0].outputs, Names{"y"});
  EXPECT_EQ(relu.nodes[0].origin, kActivation);
  EXPECT_EQ(relu.nodes[0].string_attribute("activation", ""), "Relu");
  const auto parameters = [](Graph graph) {
    EXPECT_EQ(run_pass(kActivation, graph), 1);
    return std::get<std::vector<float>>(graph.nodes[0].attributes.at("activation_params"));
  };
  EXPECT_THAT(parameters(activated("LeakyRelu", {{"alpha", 0.3F}})), ElementsAre(0.3F));
  EXPECT_THAT(parameters(activated("LeakyRelu")), ElementsAre(0.01F));
  EXPECT_THAT(parameters(activated("Clip", {}, {"low", "high"})), ElementsAre(-1.0F, 6.0F));
  EXPECT_THAT(parameters(activated("Clip", {}, {"", "high"})), ElementsAre(-FLT_MAX, 6.0F));
}

TEST(FuseConvActivation, TakesInOneBehindASum) {
  QdqBuilder builder = conv();
  builder.input("z", {1, 3, 5, 5}).node("Add", "s", {"c", "z"}).node("Relu", "r", {"s"}).node("Relu", "y", {"r"});
  Graph graph = builder.output("y").build();
  ASSERT_EQ(run_pass(kAdd, graph), 1);
  ASSERT_EQ(run_pass(kActivation, graph), 1);
  ASSERT_EQ(graph.nodes.size(), 2U) << "one activation, not two";
  EXPECT_EQ(graph.nodes[0].inputs, (Names{"x", "w", "b", "z"}));
  EXPECT_EQ(graph.nodes[0].outputs, Names{"r"});
}

TEST(FuseConvActivation, LeavesWhatItDoesNotKnow) {
  const auto stays = [](Graph graph) { return run_pass(kActivation, graph) == 0; };
  EXPECT_TRUE(stays(activated("Tanh")));
  EXPECT_TRUE(stays(activated("Clip", {}, {"high", "low"})));  // high below low
  EXPECT_TRUE(stays(activated("Clip", {}, {"nan", "high"})));
  EXPECT_EQ(rewrites(kActivation, conv().node("Relu", "y", {"c"}).output("y").output("c")), 0);
  EXPECT_EQ(rewrites(kActivation, conv().node("Relu", "y", {"c"}).node("Abs", "a", {"c"}).output("y").output("a")), 0);
  Graph bound = activated("Clip", {}, {"low"});  // the convolution gives the bound, not the value
  bound.nodes[1].inputs = {"x", "c"};
  EXPECT_TRUE(stays(bound));
  Graph computed = activated("Clip", {}, {"low", "high"});
  computed.initializers.erase("low");
  computed.inputs.push_back({.name = "low", .dtype = DType::kFloat32, .has_shape = true, .dims = {}});
  EXPECT_TRUE(stays(computed));
  Graph doubles = activated("Relu");
  doubles.initializers["w"] = Tensor::from<double>({3, 4, 1, 1}, std::vector<double>(12, 1));
  EXPECT_TRUE(stays(doubles));
  Graph volume = activated("Relu");
  volume.initializers["w"] = Tensor::from({3, 4, 1, 1, 1}, std::vector<float>(12, 1));
  EXPECT_TRUE(stays(volume));
}

}  // namespace
}  // namespace assay::test
