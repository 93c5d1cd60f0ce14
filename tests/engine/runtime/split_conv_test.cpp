// SPDX-License-Identifier: Apache-2.0
// Convolutions large enough for several threads give the bits of one thread, in rows and in channel blocks.
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(SplitConv, ThreadsChangeNoBit) {
  Random random(51);
  for (int round = 0; round < 24; ++round) {
    const Index channels = round % 3 == 0 ? 3 : 8 * random.integer(1, 5);
    const Index middle = 8 * random.integer(2, 12) + (random.chance(0.3) ? random.integer(1, 7) : 0);
    const Layer first = {.channels = channels, .outputs = middle, .kernel = random.chance(0.5) ? 3 : 5};
    const Layer second = {.channels = middle,
                          .outputs = random.chance(0.6) ? middle : 8 * random.integer(2, 12),
                          .kernel = random.chance(0.5) ? 3 : 1,
                          .dilation = random.chance(0.3) ? 3 : 1};
    const Graph graph = chain(random, first, second, random.integer(20, 70));
    const Index batch = round % 4 == 1 ? random.integer(2, 5) : 1;
    const Tensor x = random_floats(random, {batch, channels, random.integer(30, 60), random.integer(30, 60)});
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
