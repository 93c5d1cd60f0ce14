// SPDX-License-Identifier: Apache-2.0
// Convolutions large enough for several threads give the bits of one thread, in rows and in channel blocks, and keep
// NaN.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/runtime/executor.h"
#include "tests/engine/runtime/ops/float_data.h"

namespace assay::runtime {
namespace {

using Ints = std::vector<Index>;
using test::Random;
using test::random_floats;
using Values = std::map<std::string, Tensor>;

struct Layer {
  Index channels = 1;
  Index outputs = 1;
  Index kernel = 1;
  Index dilation = 1;
  bool depthwise = false;
};

Node conv_node(const std::string& name, const Layer& layer, const std::string& x, const std::string& z) {
  const Index pad = layer.dilation * (layer.kernel / 2);
  Node node;
  node.name = name;
  node.op_type = "FusedConv";
  node.domain = kMicrosoftDomain;
  node.inputs = {x, name + ".w", name + ".b"};
  if (!z.empty()) {
    node.inputs.push_back(z);
  }
  node.outputs = {name};
  node.attributes = {{"group", layer.depthwise ? layer.channels : Index{1}},
                     {"pads", Ints{pad, pad, pad, pad}},
                     {"dilations", Ints{layer.dilation, layer.dilation}}};
  if (name != "first") {
    node.attributes["activation"] = std::string("Relu");
  }
  return node;
}

// first: layer 0; second: layer 1, which adds first's result where the shapes agree; third: depthwise; last: layer 2.
Graph chain(Random& random, const Layer& first, const Layer& second, Index last) {
  Graph graph;
  graph.opsets = {{"", 13}, {kMicrosoftDomain, 1}};
  const auto add = [&](const std::string& name, const Layer& layer, const std::string& x, const std::string& z) {
    const Index group_channels = layer.depthwise ? 1 : layer.channels;
    graph.initializers[name + ".w"] =
        random_floats(random, {layer.outputs, group_channels, layer.kernel, layer.kernel});
    graph.initializers[name + ".b"] = random_floats(random, {layer.outputs});
    graph.nodes.push_back(conv_node(name, layer, x, z));
  };
  add("first", first, "x", "");
  add("second", second, "first", first.outputs == second.outputs ? "first" : "");
  add("third", {.channels = second.outputs, .outputs = second.outputs, .kernel = 3, .depthwise = true}, "second", "");
  add("last", {.channels = second.outputs, .outputs = last}, "third", "");
  ValueInfo info;
  info.name = "x";
  info.dtype = DType::kFloat32;
  graph.inputs = {info};
  for (const char* name : {"second", "last"}) {
    info.name = name;
    graph.outputs.push_back(info);
  }
  return graph;
}

Values run(const Graph& graph, const Tensor& x, int threads, bool carry_blocks) {
  const Plan plan =
      build_plan(std::make_shared<const Graph>(graph), {.threads = threads, .carry_blocks = carry_blocks}).value();
  Values outputs;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second run meets what operators keep
    auto result = execute(plan, {{"x", x}}, {});
    EXPECT_TRUE(result.ok()) << result.error().message;
    outputs = result.value().outputs;
  }
  return outputs;
}

// Each FusedConv as the nodes that it stands for.
Graph unfused(const Graph& fused) {
  Graph graph = fused;
  graph.nodes.clear();
  const auto append = [&](const std::string& op_type, std::vector<std::string> inputs, const AttributeMap& attributes) {
    Node node;
    node.op_type = op_type;
    node.inputs = std::move(inputs);
    node.outputs = {"value" + std::to_string(graph.nodes.size())};
    node.name = node.outputs[0];
    node.attributes = attributes;
    graph.nodes.push_back(std::move(node));
  };
  for (const Node& node : fused.nodes) {
    AttributeMap attributes = node.attributes;
    attributes.erase("activation");
    attributes.erase("activation_params");
    append("Conv", {node.inputs[0], node.inputs[1], node.inputs[2]}, attributes);
    if (node.inputs.size() > 3) {
      append("Add", {graph.nodes.back().outputs[0], node.inputs[3]}, {});
    }
    const std::string activation = node.string_attribute("activation", "");
    if (activation == "Clip") {
      append("Min", {graph.nodes.back().outputs[0], "high"}, {});
      append("Max", {graph.nodes.back().outputs[0], "low"}, {});
    } else if (!activation.empty()) {
      append(activation, {graph.nodes.back().outputs[0]}, {});
    }
    graph.nodes.back().outputs = node.outputs;
  }
  return graph;
}

// A few elements that are no numbers, or become none with a weight of the other sign.
void poison(Random& random, Tensor& x) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
    x.mutable_data<float>()[static_cast<std::size_t>(random.integer(0, x.size() - 1))] = value;
  }
}

void expect_same(const Tensor& found, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(found.shape(), expected.shape()) << what;
  for (std::size_t i = 0; i < expected.data<float>().size(); ++i) {
    const float a = found.data<float>()[i];
    const float b = expected.data<float>()[i];
    ASSERT_EQ(std::isnan(a), std::isnan(b)) << what << " element " << i;
    if (!std::isnan(b) && a != b) {
      ASSERT_NEAR(a, b, 1e-4F * std::max(1.0F, std::abs(b))) << what << " element " << i;
    }
  }
}

TEST(SplitConv, NanPassesClamps) {
  Random random(52);
  for (int round = 0; round < 24; ++round) {
    const Index channels = 8 * random.integer(1, 3);
    const Index middle = 8 * random.integer(2, 8) + (random.chance(0.3) ? random.integer(1, 7) : 0);
    const Layer first = {.channels = channels, .outputs = middle, .kernel = 3};
    const Layer second = {.channels = middle,
                          .outputs = random.chance(0.6) ? middle : 8 * random.integer(2, 8),
                          .kernel = random.chance(0.5) ? 3 : 1,
                          .dilation = random.chance(0.3) ? 3 : 1};
    Graph graph = chain(random, first, second, random.integer(2, 20));
    for (Node& node : graph.nodes) {
      if (random.chance(0.4)) {  // where bounds are on both sides of 0, and where they are not
        node.attributes["activation"] = std::string("Clip");
        node.attributes["activation_params"] = std::vector<float>{0.25F, 2.0F};
      }
    }
    graph.initializers["low"] = Tensor::scalar(0.25F);
    graph.initializers["high"] = Tensor::scalar(2.0F);
    Tensor x =
        random_floats(random, {round % 4 == 1 ? 2 : 1, channels, random.integer(20, 50), random.integer(20, 50)});
    poison(random, x);
    const Values expected = run(unfused(graph), x, 1, false);
    for (const int threads : {1, 2, 3}) {
      for (const bool carry_blocks : {true, false}) {
        const Values found = run(graph, x, threads, carry_blocks);
        for (const auto& [name, tensor] : expected) {
          expect_same(found.at(name), tensor,
                      name + ", threads " + std::to_string(threads) + ", blocks " +
                          std::to_string(carry_blocks ? 1 : 0) + ", seed " + std::to_string(test::test_seed()) +
                          " round " + std::to_string(round));
          if (HasFatalFailure()) {
            return;
          }
        }
      }
    }
  }
}

// A convolution in groups is one primitive of a team of threads.
TEST(SplitConv, NanPassesClampsOfATeam) {
  Random random(53);
  for (const char* activation : {"Relu", "Clip", "LeakyRelu"}) {
    for (const Index outputs : {4, 24}) {
      Graph graph =
          chain(random, {.channels = 16, .outputs = 16, .kernel = 3}, {.channels = 16, .outputs = outputs}, 8);
      Node& node = graph.nodes[1];
      node.attributes["group"] = Index{2};
      node.attributes["activation"] = std::string(activation);
      if (*activation == 'C') {
        node.attributes["activation_params"] = std::vector<float>{0.25F, 2.0F};
      } else if (*activation == 'L') {
        node.attributes["activation_params"] = std::vector<float>{0.01F};
      }
      graph.initializers["second.w"] = random_floats(random, {outputs, 8, 1, 1});
      graph.initializers["low"] = Tensor::scalar(0.25F);
      graph.initializers["high"] = Tensor::scalar(2.0F);
      Tensor x = random_floats(random, {1, 16, 130, 130});
      poison(random, x);
      const Values expected = run(unfused(graph), x, 1, false);
      for (const int threads : {1, 2, 3}) {
        const Values found = run(graph, x, threads, true);
        for (const auto& [name, tensor] : expected) {
          expect_same(found.at(name), tensor,
                      std::string(activation) + ", " + name + ", threads " + std::to_string(threads));
        }
      }
    }
  }
}

TEST(SplitConv, ThreadsChangeNoBit) {
  Random random(51);
  for (int round = 0; round < 24; ++round) {
    const Index channels = round % 3 == 0 ? 3 : 8 * random.integer(1, 5);
    // Many channels: where oneDNN keeps those of a pixel side by side.
    const Index middle = round % 5 == 0 ? 64 * random.integer(1, 4)
                                        : 8 * random.integer(2, 12) + (random.chance(0.3) ? random.integer(1, 7) : 0);
    const bool is_one_row = round % 10 == 0;
    const Layer first = {.channels = channels,
                         .outputs = middle,
                         .kernel = is_one_row           ? 1
                                   : random.chance(0.5) ? 3
                                                        : 5};
    const Layer second = {.channels = middle,
                          .outputs = random.chance(0.6) || round % 5 == 0 ? middle : 8 * random.integer(2, 12),
                          .kernel = random.chance(0.5) && !is_one_row ? 3 : 1,
                          .dilation = random.chance(0.3) ? 3 : 1};
    const Graph graph = chain(random, first, second, random.integer(20, 70));
    const Index batch = round % 4 == 1 ? random.integer(2, 5) : 1;
    const Tensor x = random_floats(random, {batch, channels, is_one_row ? 1 : random.integer(30, 60),
                                            is_one_row ? random.integer(900, 1000) : random.integer(30, 60)});
    const Values expected = run(graph, x, 1, true);
    for (const int threads : {2, 3}) {
      for (const bool carry_blocks : {true, false}) {
        const Values found = run(graph, x, threads, carry_blocks);
        for (const auto& [name, tensor] : expected) {
          ASSERT_TRUE(bytes_equal(found.at(name), tensor))
              << name << ", threads " << threads << ", blocks " << carry_blocks << ", seed " << test::test_seed()
              << " round " << round;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay::runtime
