// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/channel_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::constant_values;
using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;

std::optional<ChannelSource> source_of(const Graph& graph, const std::string& value, ChannelAxis axis) {
  return channel_source(graph, GraphIndex(graph), value, axis);
}

GraphBuilder conv_relu(const std::string& activation, AttributeMap attributes = {}) {
  GraphBuilder builder;
  builder.input("x", {1, 1, 2, 2})
      .constant("w", floats({2, 1, 1, 1}, {2, -4}))
      .constant("b", floats({2}, {1, 3}))
      .node("Conv", "conv", {"x", "w", "b"})
      .node(activation, "act", {"conv"}, std::move(attributes));
  return builder;
}

TEST(ChannelSource, FindsAConvThroughNodesThatCommute) {
  for (const char* activation : {"Relu", "LeakyRelu", "MaxPool", "AveragePool", "GlobalAveragePool"}) {
    const Graph graph = conv_relu(activation).node("Relu", "y", {"act"}).output("y", {1, 2, 2, 2}).build();
    const auto source = source_of(graph, "y", ChannelAxis::kSecond);
    ASSERT_TRUE(source) << activation;
    EXPECT_EQ(source->channels, 2);
    ASSERT_EQ(source->constants.size(), 2U);
    EXPECT_THAT(channel_magnitudes(graph, *source->weight, 2), ElementsAre(2, 4));
    EXPECT_THAT(channel_magnitudes(graph, *source->bias, 2), ElementsAre(1, 3));
    EXPECT_THAT(source->values, ElementsAre("y", "act", "conv"));
  }
}

TEST(ChannelSource, StopsAtWhatDoesNotCommute) {
  for (const char* activation : {"Sigmoid", "Clip", "HardSwish", "Softmax", "Transpose"}) {
    const Graph graph = conv_relu(activation).output("act", {1, 2, 2, 2}).build();
    EXPECT_FALSE(source_of(graph, "act", ChannelAxis::kSecond)) << activation;
  }
}

TEST(ChannelSource, StopsAtASecondUseOfAValueOnTheWay) {
  const Graph graph = conv_relu("Relu").node("Add", "y", {"conv", "act"}).output("y", {1, 2, 2, 2}).build();
  EXPECT_FALSE(source_of(graph, "act", ChannelAxis::kSecond));
  const Graph output = conv_relu("Relu").output("act", {1, 2, 2, 2}).output("conv", {1, 2, 2, 2}).build();
  EXPECT_FALSE(source_of(output, "act", ChannelAxis::kSecond));
}

TEST(ChannelSource, TakesTheBiasThatAnAddBringsToAMatMul) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 3, 2})
                          .constant("w", floats({2, 2}, {1, 2, 3, -4}))
                          .constant("b", floats({2}, {5, 6}))
                          .node("MatMul", "product", {"x", "w"})
                          .node("Add", "sum", {"b", "product"})
                          .node("Relu", "y", {"sum"})
                          .output("y", {1, 3, 2})
                          .build();
  const auto source = source_of(graph, "y", ChannelAxis::kLast);
  ASSERT_TRUE(source);
  EXPECT_THAT(channel_magnitudes(graph, *source->weight, 2), ElementsAre(3, 4));
  EXPECT_THAT(channel_magnitudes(graph, *source->bias, 2), ElementsAre(5, 6));
  EXPECT_FALSE(source_of(graph, "y", ChannelAxis::kSecond));
}

TEST(ChannelSource, TakesScaleAndShiftOfALayerNormalization) {
  const auto build = [](Index axis) {
    return GraphBuilder(17)
        .input("x", {1, 3, 2})
        .constant("s", floats({2}, {1, 2}))
        .constant("b", floats({2}, {5, 6}))
        .node("LayerNormalization", "y", {"x", "s", "b"}, {{"axis", axis}})
        .output("y", {1, 3, 2})
        .build();
  };
  const auto source = source_of(build(-1), "y", ChannelAxis::kLast);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->constants.size(), 2U);
  EXPECT_FALSE(source->weight);
  EXPECT_FALSE(source_of(build(1), "y", ChannelAxis::kLast));
}

TEST(ChannelWeight, FollowsGroupsTransBAndFlatten) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 4, 1, 1})
                          .input("z", {1, 4})
                          .constant("grouped", floats({2, 2, 1, 1}, {1, 2, 3, 4}))
                          .constant("depthwise", floats({4, 1, 1, 1}, {1, 2, 3, 4}))
                          .constant("dense", floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
                          .constant("turned", floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}))
                          .node("Conv", "a", {"x", "grouped"}, {{"group", Index{2}}})
                          .node("Conv", "b", {"x", "depthwise"}, {{"group", Index{4}}})
                          .node("Gemm", "c", {"z", "dense"})
                          .node("Gemm", "d", {"z", "turned"}, {{"transB", Index{1}}})
                          .node("ConvTranspose", "e", {"x", "depthwise"})
                          .build();
  const auto of = [&](std::size_t node, Index channels) {
    return channel_magnitudes(graph, *channel_weight(graph, node, channels), channels);
  };
  EXPECT_THAT(of(0, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(of(1, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(of(2, 4), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(of(2, 2), ElementsAre(4, 8));  // two rows for each channel, as behind a Flatten
  EXPECT_THAT(of(3, 4), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(of(4, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(channel_weight(graph, 2, 3));
}

TEST(ScaleChannels, CopiesWhatOthersUseAndExpandsASingleValue) {
  Graph graph = GraphBuilder()
                    .input("x", {1, 2})
                    .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                    .constant("c", floats({1}, {8}))
                    .node("Gemm", "first", {"x", "w", "c"})
                    .node("Gemm", "second", {"first", "w"})
                    .output("second", {1, 2})
                    .build();
  const auto source = source_of(graph, "first", ChannelAxis::kLast);
  ASSERT_TRUE(source);
  const std::vector<double> factors = {2, 0.5};
  for (const ChannelConstant& at : source->constants) {
    ASSERT_TRUE(scale_channels(graph, at, factors).ok());
  }
  EXPECT_THAT(constant_values(graph, graph.nodes[0].inputs[1]), ElementsAre(2, 1, 6, 2));
  EXPECT_THAT(constant_values(graph, graph.nodes[1].inputs[1]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(constant_values(graph, graph.nodes[0].inputs[2]), ElementsAre(16, 4));
}

}  // namespace
}  // namespace assay::quantizer
