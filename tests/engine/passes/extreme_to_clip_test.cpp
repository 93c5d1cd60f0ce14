// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tests/engine/passes/qdq_builder.h"
#include "tests/engine/passes/session_support.h"

namespace assay::test {
namespace {

constexpr const char* kPass = "extreme_to_clip";
using Names = std::vector<std::string>;

QdqBuilder extreme(const std::string& op_type, const Tensor& bound, const Names& inputs = {"x", "c"},
                   Index opset = 17) {
  QdqBuilder builder(opset);
  return std::move(builder.input("x", {2, 3}).constant("c", bound).node(op_type, "y", inputs).output("y"));
}

TEST(ExtremeToClip, AConstantBecomesABound) {
  Graph max = extreme("Max", Tensor::scalar(-0.4F), {"c", "x"}).build();
  ASSERT_EQ(run_pass(kPass, max), 1);
  EXPECT_EQ(max.nodes[0].op_type, "Clip");
  EXPECT_EQ(max.nodes[0].inputs, (Names{"x", "y_min", "y_max"}));
  EXPECT_EQ(max.nodes[0].origin, kPass);
  EXPECT_EQ(max.initializers.at("y_min").data<float>()[0], -0.4F);
  EXPECT_EQ(max.initializers.at("y_min").rank(), 0U);
  EXPECT_EQ(max.initializers.at("y_max").data<float>()[0], std::numeric_limits<float>::infinity());
  Graph min = extreme("Min", Tensor::from({1, 1}, std::vector<float>{2})).build();
  ASSERT_EQ(run_pass(kPass, min), 1);
  EXPECT_EQ(min.initializers.at("y_min").data<float>()[0], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(min.initializers.at("y_max").data<float>()[0], 2.0F);
}

// Clip without a bound would make them the largest numbers.
TEST(ExtremeToClip, InfinitiesPass) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Index opset : {10, 13}) {
    for (const char* op : {"Max", "Min"}) {
      const RunOutcome ran =
          run_graph(extreme(op, Tensor::scalar(2.0F), {"x", "c"}, opset).build(),
                    {{"x", Tensor::from({2, 3}, std::vector<float>{-kInfinity, kInfinity, 1, 2, 3, 4})}},
                    {.level = api::Optimization::kBasic});
      ASSERT_EQ(op_types(ran.optimized), Types{"Clip"});
      const bool is_max = *op == 'M' && op[1] == 'a';
      EXPECT_EQ(ran.outputs.at("y").to_doubles()[is_max ? 1 : 0], is_max ? kInfinity : -kInfinity);
    }
  }
}

// Quantizers put constants behind DequantizeLinear. The runtime's own operator computes what is there.
TEST(ExtremeToClip, AConstantMayBeQuantized) {
  QdqBuilder builder(17);
  builder.input("x", {2, 3}).weight("c", {}, {130}, kUnsigned).node("Max", "y", {"x", "c"}).output("y");
  const RunOutcome ran =
      run_graph(builder.build(), {{"x", Tensor::from({2, 3}, std::vector<float>{0, 1, 2, 3, -4, 5})}},
                {.level = api::Optimization::kBasic});
  ASSERT_EQ(op_types(ran.optimized), Types{"Clip"});
  EXPECT_EQ(ran.outputs.at("y").to_doubles(), (std::vector<double>{1, 1, 2, 3, 1, 5}));
}

// The rank of what a convolution makes is known where its weights are quantized too.
TEST(ExtremeToClip, ABoundMayHaveTheRankOfAConvolution) {
  for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{1, 1, 1, 1, 1}}) {
    QdqBuilder builder(17);
    builder.input("x", {1, 2, 4, 4}).weight("w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6}, kSigned);
    builder.node("Conv", "c", {"x", "w"}).filled("k", shape, -0.4F).node("Max", "y", {"c", "k"}).output("y");
    EXPECT_EQ(rewrites(kPass, builder), shape.size() == 4 ? 1 : 0);
  }
}

TEST(ExtremeToClip, OldClipsHaveAttributes) {
  Graph graph = extreme("Min", Tensor::scalar(2.0F), {"x", "c"}, 10).build();
  ASSERT_EQ(run_pass(kPass, graph), 1);
  EXPECT_EQ(graph.nodes[0].inputs, Names{"x"});
  EXPECT_EQ(graph.nodes[0].float_attribute("max", 0), 2.0F);
  EXPECT_EQ(graph.nodes[0].float_attribute("min", 0), -std::numeric_limits<float>::infinity());
}

TEST(ExtremeToClip, OnlyOneFloatThatAddsNoDimension) {
  const Tensor one = Tensor::scalar(1.0F);
  EXPECT_EQ(rewrites(kPass, extreme("Max", Tensor::from({3}, std::vector<float>{1, 2, 3}))), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", Tensor::from({1, 1, 1}, std::vector<float>{1}))), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", Tensor::scalar(std::nanf("")))), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", Tensor::scalar(1.0))), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", one, {"x", "c", "x"})), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", one, {"x"})), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", one, {"c", "c"})), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", one, {"x", "x"})), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Sum", one)), 0);
  EXPECT_EQ(rewrites(kPass, extreme("Max", one, {"x", "c"}, 7)), 0);
  Graph no_rank = extreme("Max", Tensor::from({1}, std::vector<float>{1})).build();
  no_rank.inputs[0].has_shape = false;
  EXPECT_EQ(run_pass(kPass, no_rank), 0);
  Graph scalar = extreme("Max", one).build();
  scalar.inputs[0].has_shape = false;
  EXPECT_EQ(run_pass(kPass, scalar), 1) << "a scalar adds no dimension to anything";
}

}  // namespace
}  // namespace assay::test
