// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/engine/passes/qdq_builder.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "fold_pad";
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::vector<Index> kPads = {0, 0, 1, 0, 0, 0, 1, 2};  // height 1 and 1, width 0 and 2

struct PadSpec {
  std::vector<Index> pads = kPads;
  float value = 0;
  std::string mode = "constant";
};

// x -> Pad -> op -> y
QdqBuilder padded(const PadSpec& pad, const std::string& op, AttributeMap attributes = {}) {
  QdqBuilder builder(17);
  builder.input("x", {1, 2, 6, 7})
      .filled("w", {3, 2, 3, 3}, 1)
      .filled("value", {}, pad.value)
      .indices("pads", pad.pads);
  builder.node("Pad", "p", {"x", "pads", "value"}, {{"mode", pad.mode}});
  if (op != "Conv") {
    attributes.emplace("kernel_shape", std::vector<Index>{3, 3});
  }
  return std::move(builder
                       .node(op, "y", op == "Conv" ? std::vector<std::string>{"p", "w"} : std::vector<std::string>{"p"},
                             std::move(attributes))
                       .output("y"));
}

// What is behind a Pad is known to be float32 too.
TEST(FoldPad, OneBehindTheOther) {
  QdqBuilder builder = padded({}, "Conv");
  builder.filled("k", {4, 3, 1, 1}, 1).node("Relu", "r", {"y"}).node("Pad", "q", {"r", "pads"});
  EXPECT_EQ(rewrites(kPass, builder.node("Conv", "z", {"q", "k"}).output("z")), 2);
}

TEST(FoldPad, BecomesTheOperatorsOwnPadding) {
  Graph graph = padded({}, "Conv", {{"pads", std::vector<Index>{1, 1, 0, 0}}}).build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  ASSERT_EQ(op_types(graph), Types{"Conv"});
  EXPECT_EQ(graph.nodes[0].inputs[0], "x");
  EXPECT_EQ(graph.nodes[0].ints_attribute("pads"), (std::vector<Index>{2, 1, 1, 2}));
  EXPECT_EQ(rewrites(kPass, padded({.value = -kInfinity}, "MaxPool")), 1);
}

TEST(FoldPad, AverageCountsThePaddingFromThenOn) {
  Graph graph = padded({}, "AveragePool").build();
  EXPECT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].int_attribute("count_include_pad", 0), 1);
  const AttributeMap own = {{"pads", std::vector<Index>{1, 0, 0, 0}}};
  EXPECT_EQ(rewrites(kPass, padded({}, "AveragePool", own)), 0);  // its own padding does not count
  const AttributeMap counted = {{"pads", std::vector<Index>{1, 0, 0, 0}}, {"count_include_pad", Index{1}}};
  EXPECT_EQ(rewrites(kPass, padded({}, "AveragePool", counted)), 1);
}

TEST(FoldPad, OnlyWhatTheOperatorPadsWith) {
  EXPECT_EQ(rewrites(kPass, padded({.value = 1}, "Conv")), 0);
  EXPECT_EQ(rewrites(kPass, padded({.value = 0}, "MaxPool")), 0);
  EXPECT_EQ(rewrites(kPass, padded({.value = -kInfinity}, "AveragePool")), 0);
  EXPECT_EQ(rewrites(kPass, padded({.mode = "edge"}, "Conv")), 0);
  EXPECT_EQ(rewrites(kPass, padded({.pads = {0, 1, 1, 0, 0, 0, 1, 2}}, "Conv")), 0);   // channels
  EXPECT_EQ(rewrites(kPass, padded({.pads = {0, 0, -1, 0, 0, 0, 1, 2}}, "Conv")), 0);  // takes away
  EXPECT_EQ(rewrites(kPass, padded({}, "Conv", {{"auto_pad", std::string("SAME_UPPER")}})), 0);
  EXPECT_EQ(rewrites(kPass, padded({}, "GlobalAveragePool")), 0);
}

TEST(FoldPad, WindowsOfAPoolingMeetTheInput) {
  EXPECT_EQ(rewrites(kPass, padded({.pads = {0, 0, 3, 0, 0, 0, 0, 0}, .value = -kInfinity}, "MaxPool")), 0);
  EXPECT_EQ(rewrites(kPass, padded({.value = -kInfinity}, "MaxPool", {{"ceil_mode", Index{1}}})), 0);
}

TEST(FoldPad, ThePaddedValueHasOneReader) {
  EXPECT_EQ(rewrites(kPass, padded({}, "Conv").output("p")), 0);
  EXPECT_EQ(rewrites(kPass, padded({}, "Conv").node("Relu", "z", {"p"}).output("z")), 0);
}

TEST(FoldPad, AmountsAndValueAreConstants) {
  Graph amounts = padded({}, "Conv").input("n", {8}, DType::kInt64).build();
  amounts.nodes[0].inputs[1] = "n";
  EXPECT_EQ(run_pass(kPass, amounts), 0);
  Graph value = padded({}, "Conv").input("v", {}).build();
  value.nodes[0].inputs[2] = "v";
  EXPECT_EQ(run_pass(kPass, value), 0);
  Graph axes = padded({}, "Conv").indices("axes", {0, 1, 2, 3}).build();
  axes.nodes[0].inputs.emplace_back("axes");
  EXPECT_EQ(run_pass(kPass, axes), 0);
}

}  // namespace
}  // namespace assay::test
