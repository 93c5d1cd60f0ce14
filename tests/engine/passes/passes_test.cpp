// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "engine/passes/pass.h"
#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

Graph identity_and_conv() {
  return QdqBuilder()
      .input("x", {1, 2, 3, 3})
      .node("Identity", "i", {"x"})
      .pair("a", "i", kUnsigned)
      .weight("w", {2, 2, 1, 1}, {1, 2, 3, 4}, kSigned)
      .node("Conv", "c", {"a", "w"})
      .node("Relu", "r", {"c"})
      .pair("y", "r", kUnsigned)
      .output("y")
      .build();
}

std::vector<std::pair<std::string, Index>> optimized(Graph& graph, passes::Level level,
                                                     std::vector<std::string> disabled = {}) {
  const auto applied = passes::optimize(graph, {.level = level, .disabled = std::move(disabled), .context = {}});
  EXPECT_TRUE(applied.ok()) << (applied.ok() ? "" : applied.error().message);
  return applied.ok() ? applied.value() : std::vector<std::pair<std::string, Index>>();
}

using Applied = std::vector<std::pair<std::string, Index>>;

TEST(Optimize, LevelsChooseThePasses) {
  Graph none = identity_and_conv();
  EXPECT_EQ(optimized(none, passes::Level::kNone), Applied{});
  EXPECT_EQ(none.nodes.size(), identity_and_conv().nodes.size());
  Graph basic = identity_and_conv();
  EXPECT_EQ(optimized(basic, passes::Level::kBasic), (Applied{{"eliminate_identity", 1}}));
  for (const passes::Level level : {passes::Level::kExtended, passes::Level::kAll}) {
    Graph graph = identity_and_conv();
    EXPECT_EQ(optimized(graph, level), (Applied{{"eliminate_identity", 1}, {"fuse_qdq_conv", 1}}));
    EXPECT_EQ(op_types(graph), (Types{"QuantizeLinear", "ai.assay.QLinearConv", "DequantizeLinear"}));
  }
}

// A node that two passes worked on names both; a node that none did names none.
TEST(Optimize, NodesNameThePassesThatMadeThem) {
  QdqBuilder builder(17);
  builder.input("x", {1, 2, 3, 3}).filled("w", {3, 2, 1, 1}, 1).filled("k", {3, 1, 1}, 2);
  for (const char* name : {"scale", "shift", "mean", "variance"}) {
    builder.filled(name, {3}, 1);
  }
  builder.node("Conv", "c", {"x", "w"}).node("BatchNormalization", "b", {"c", "scale", "shift", "mean", "variance"});
  builder.node("Mul", "m", {"b", "k"}).node("Relu", "r", {"m"}).node("Sigmoid", "y", {"r"}).output("y");
  Graph graph = builder.build();
  optimized(graph, passes::Level::kAll);
  ASSERT_EQ(op_types(graph), (Types{"com.microsoft.FusedConv", "Sigmoid"}));
  EXPECT_EQ(graph.nodes[0].origin, "fold_batch_normalization, fold_conv_affine, fuse_conv_activation");
  EXPECT_EQ(graph.nodes[1].origin, "");
}

TEST(Optimize, PassesCanBeSwitchedOff) {
  Graph graph = identity_and_conv();
  EXPECT_EQ(optimized(graph, passes::Level::kAll, {"fuse_qdq_conv"}), (Applied{{"eliminate_identity", 1}}));
}

TEST(Optimize, NamesTheKnownPassesForAnUnknownOne) {
  Graph graph = identity_and_conv();
  const auto applied = passes::optimize(graph, {.level = passes::Level::kNone, .disabled = {"fuse"}, .context = {}});
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(applied.error().message.find("'fuse' is no optimisation pass; the passes are eliminate_identity"),
            std::string::npos);
}

TEST(Optimize, DeadNodesGo) {
  Graph graph =
      QdqBuilder().input("x", {1}).node("Relu", "y", {"x"}).node("Sigmoid", "dead", {"x"}).output("y").build();
  optimized(graph, passes::Level::kBasic);
  EXPECT_EQ(op_types(graph), Types{"Relu"});
}

TEST(Passes, NamesAreUniqueAndLevelsAscend) {
  std::set<std::string_view> names;
  passes::Level level = passes::Level::kBasic;
  for (const passes::Pass& pass : passes::passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_GE(pass.first_level, level) << pass.name;
    level = pass.first_level;
    EXPECT_FALSE(pass.description.empty());
  }
}

}  // namespace
}  // namespace assay::test
