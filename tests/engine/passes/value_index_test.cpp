// SPDX-License-Identifier: Apache-2.0
// The index that follows a graph says what one made anew says.
#include "engine/passes/value_index.h"

#include <set>

#include "tests/engine/passes/qdq_builder.h"
#include "tests/support/random.h"

namespace assay::test {
namespace {

using passes::ValueIndex;

std::set<std::string> names(const Graph& graph) {
  std::set<std::string> out;
  for (const Node& node : graph.nodes) {
    out.insert(node.inputs.begin(), node.inputs.end());
    out.insert(node.outputs.begin(), node.outputs.end());
  }
  out.erase("");
  return out;
}

void expect_same(const ValueIndex& followed, const Graph& graph) {
  const GraphIndex anew(graph);
  for (const std::string& name : names(graph)) {
    ASSERT_EQ(followed.producer(name), anew.producer(name)) << name;
    ASSERT_EQ(followed.consumers(name), anew.consumers(name)) << name;
  }
}

// x0 .. x3, then nodes that read one or two values before them; some values are outputs.
Graph random_graph(Random& random) {
  QdqBuilder builder;
  std::vector<std::string> values;
  for (const char* name : {"x0", "x1", "x2", "x3"}) {
    builder.input(name, {1});
    values.emplace_back(name);
  }
  builder.filled("c", {1}, 1);
  values.emplace_back("c");
  const auto any = [&] {
    return values[static_cast<std::size_t>(random.integer(0, static_cast<Index>(values.size()) - 1))];
  };
  for (int i = 0; i < 20; ++i) {
    const std::string name = "v" + std::to_string(i);
    builder.node("Add", name,
                 random.chance(0.5) ? std::vector<std::string>{any(), any()} : std::vector<std::string>{any()});
    values.push_back(name);
  }
  builder.output("v19").output("v10");
  Graph graph = builder.build();
  remove_dead_nodes(graph);
  return graph;
}

void change(Random& random, Graph& graph) {
  const auto at = static_cast<std::size_t>(random.integer(0, static_cast<Index>(graph.nodes.size()) - 1));
  switch (random.integer(0, 3)) {
    case 0:  // past a node
      replace_uses(graph, graph.nodes[at].outputs[0], graph.nodes[at].inputs[0]);
      break;
    case 1:
      graph.nodes[at].inputs[0] = "x1";
      break;
    case 2: {
      Node extra = graph.nodes[at];
      extra.outputs = {fresh_name(graph, "extra")};
      graph.nodes[at].inputs[0] = extra.outputs[0];
      graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at), extra);
      break;
    }
    default:
      if (!graph.is_output(graph.nodes[at].outputs[0])) {
        replace_uses(graph, graph.nodes[at].outputs[0], "x2");
        graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at));
      }
  }
}

TEST(ValueIndex, FollowsChangesAndDropsWhatIsDead) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Graph graph = random_graph(random);
    ValueIndex index(graph);
    expect_same(index, graph);
    for (int i = 0; i < 10; ++i) {
      change(random, graph);
      Graph expected = graph;
      remove_dead_nodes(expected);
      index.follow(graph);
      ASSERT_EQ(graph.nodes.size(), expected.nodes.size());
      for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        ASSERT_EQ(graph.nodes[n].outputs, expected.nodes[n].outputs);
        ASSERT_EQ(graph.nodes[n].inputs, expected.nodes[n].inputs);
      }
      ASSERT_EQ(graph.initializers.size(), expected.initializers.size());
      expect_same(index, graph);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST(ValueIndex, KnowsNothingOfOtherValues) {
  Graph graph = QdqBuilder().input("x", {1}).node("Relu", "y", {"x"}).output("y").build();
  const ValueIndex index(graph);
  EXPECT_EQ(index.producer("x"), -1);
  EXPECT_EQ(index.producer("none"), -1);
  EXPECT_EQ(index.consumer_count("none"), 0U);
  EXPECT_EQ(index.consumer_count("x"), 1U);
}

}  // namespace
}  // namespace assay::test
