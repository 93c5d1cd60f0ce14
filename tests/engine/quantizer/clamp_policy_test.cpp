// SPDX-License-Identifier: Apache-2.0
// ReluPolicy through make_plan: what becomes of the Relu in Conv -> Relu under every policy, type and surrounding.
#include "engine/quantizer/clamp_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;

// Nodes: 0 Conv 'conv', 1 Relu 'relu'.
GraphBuilder conv_relu() {
  return std::move(GraphBuilder()
                       .input("x", {1, 1, 2, 2})
                       .constant("w", floats({1, 1, 1, 1}, {127}))
                       .constant("zero", Tensor::scalar(0.0F))
                       .constant("six", Tensor::scalar(6.0F))
                       .node("Conv", "conv", {"x", "w"})
                       .node("Relu", "relu", {"conv"}));
}

RangeTable some_ranges() {
  return test::ranges({{"x", {-1, 1}},
                       {"conv", {-12.3, 10}},
                       {"relu", {0, 10}},
                       {"sum", {-12.3, 20}},
                       {"clip", {0, 6}},
                       {"pool", {-12.3, 10}}});
}

Plan planned(const Graph& graph, const Options& options) { return make_plan(graph, some_ranges(), options).value(); }

Options with(ReluPolicy policy, DType type = DType::kUint8, bool symmetric = false,
             RangeKind range = RangeKind::kFull) {
  Options options;
  options.relu = policy;
  options.activation_type = type;
  options.activation_symmetric = symmetric;
  options.activation_range = range;
  return options;
}

TEST(SafePolicy, FoldsWhereTheZeroPointClamps) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).build();
  for (const DType type : {DType::kUint8, DType::kInt8}) {
    const Plan plan = planned(graph, with(ReluPolicy::kSafe, type));
    EXPECT_EQ(plan.nodes[1].treatment, Treatment::kFoldedClamp);
    EXPECT_EQ(plan.carrier("conv"), "relu");
    EXPECT_FALSE(plan.activations.contains("conv"));
    EXPECT_EQ(plan.activations.at("relu").params, choose_params(0, 10, {.dtype = type}));
  }
  EXPECT_EQ(planned(graph, with(ReluPolicy::kSafe)).nodes[1].reason,
            "folded into Conv 'conv': zero point 0 is the type's smallest value");
}

TEST(SafePolicy, KeepsTheClampWithoutAQuantizationInBetween) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).build();
  const std::vector<Options> all = {
      with(ReluPolicy::kSafe, DType::kUint8, true), with(ReluPolicy::kSafe, DType::kInt8, true),
      with(ReluPolicy::kSafe, DType::kInt8, true, RangeKind::kNarrow),
      with(ReluPolicy::kSafe, DType::kInt8, false, RangeKind::kNarrow),  // zero point -127, but -128 is reachable
  };
  for (const Options& options : all) {
    const Plan plan = planned(graph, options);
    EXPECT_EQ(plan.nodes[1].treatment, Treatment::kFusedClamp);
    ASSERT_TRUE(plan.nodes[0].clamp.has_value());
    EXPECT_EQ(plan.nodes[0].clamp->output, "relu");
    EXPECT_FALSE(plan.activations.contains("conv"));
    EXPECT_TRUE(plan.warnings.empty());
  }
}

// Defect L2 of the peer: a symmetric range by override, though activations are asymmetric.
TEST(SafePolicy, SeesASymmetricOverride) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).build();
  Options options = with(ReluPolicy::kSafe);
  options.overrides["relu"].symmetric = true;
  EXPECT_EQ(planned(graph, options).nodes[1].treatment, Treatment::kFusedClamp);
  options.overrides["relu"] = {};
  options.overrides["relu"].min = -1;
  EXPECT_EQ(planned(graph, options).nodes[1].treatment, Treatment::kFusedClamp);
  options.overrides["relu"] = {};
  options.overrides["relu"].scale = 0.1;
  options.overrides["relu"].zero_point = 10;
  EXPECT_EQ(planned(graph, options).nodes[1].treatment, Treatment::kFusedClamp);
}

// Defect L3 of the peer: the Conv's output is used by the Relu and another node.
TEST(SafePolicy, QuantizesASharedInputOnItsOwn) {
  const Graph graph = conv_relu().node("Add", "sum", {"conv", "relu"}).output("sum", {1, 1, 2, 2}).build();
  const Plan plan = planned(graph, with(ReluPolicy::kSafe));
  EXPECT_EQ(plan.nodes[1].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.nodes[1].reason, "clamped on its own: 'conv' is used by Add 'sum' too");
  EXPECT_EQ(plan.activations.at("conv").params, choose_params(-12.3, 10, {}));
  EXPECT_EQ(plan.activations.at("relu").params, choose_params(0, 10, {}));
  // An integer Clip has the parameters of its input.
  Options options = with(ReluPolicy::kSafe);
  options.format = Format::kQOperator;
  const Plan integer = planned(graph, options);
  EXPECT_EQ(integer.activations.at("relu").params, integer.activations.at("conv").params);
}

// Defect L4 of the peer: the Conv's output is a graph output too, and keeps its negatives.
TEST(SafePolicy, QuantizesAGraphOutputOnItsOwn) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).output("conv", {1, 1, 2, 2}).build();
  const Plan plan = planned(graph, with(ReluPolicy::kSafe));
  EXPECT_EQ(plan.nodes[1].reason, "clamped on its own: 'conv' is used by graph output 'conv' too");
  EXPECT_EQ(plan.activations.at("conv").params, choose_params(-12.3, 10, {}));
}

TEST(SafePolicy, ClampsBehindAPoolingOnItsOwn) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 1, 2, 2})
                          .constant("w", floats({1, 1, 1, 1}, {127}))
                          .node("Conv", "conv", {"x", "w"})
                          .node("MaxPool", "pool", {"conv"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
                          .node("Relu", "relu", {"pool"})
                          .output("relu", {1, 1, 1, 1})
                          .build();
  const Plan plan = planned(graph, with(ReluPolicy::kSafe));
  EXPECT_EQ(plan.nodes[2].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.nodes[2].reason, "clamped on its own: 'pool' is made by MaxPool 'pool'");
  EXPECT_EQ(plan.activations.at("relu").source, "relu");
}

TEST(SafePolicy, TakesAChainOfClampsAsOne) {
  const Graph graph = conv_relu().node("Clip", "clip", {"relu", "zero", "six"}).output("clip", {1, 1, 2, 2}).build();
  const Plan folded = planned(graph, with(ReluPolicy::kSafe));
  EXPECT_EQ(folded.nodes[1].treatment, Treatment::kFoldedClamp);
  EXPECT_EQ(folded.nodes[2].treatment, Treatment::kFoldedClamp);
  EXPECT_EQ(folded.carrier("conv"), "clip");
  const Plan fused = planned(graph, with(ReluPolicy::kSafe, DType::kUint8, true));
  ASSERT_TRUE(fused.nodes[0].clamp.has_value());
  EXPECT_EQ(fused.nodes[0].clamp->bounds.min, 0);
  EXPECT_EQ(fused.nodes[0].clamp->bounds.max, 6);
  EXPECT_EQ(fused.nodes[0].clamp->output, "clip");
}

TEST(DropPolicy, AlwaysFoldsAndWarnsWhereThatIsWrong) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).build();
  const Plan right = planned(graph, with(ReluPolicy::kDrop));
  EXPECT_EQ(right.nodes[1].treatment, Treatment::kFoldedClamp);
  EXPECT_TRUE(right.warnings.empty());
  const Plan wrong = planned(graph, with(ReluPolicy::kDrop, DType::kUint8, true));
  EXPECT_EQ(wrong.nodes[1].treatment, Treatment::kFoldedClamp);
  EXPECT_EQ(wrong.activations.at("relu").params, choose_params(0, 10, {.symmetric = true}));
  EXPECT_THAT(wrong.warnings,
              ElementsAre("Relu 'relu': dropped, but zero point 128 is not the type's smallest value 0: negative "
                          "outputs of Conv 'conv' down to -10.0392 stay"));
  // One step below zero: -128 with zero point -127 and scale 10/254.
  EXPECT_THAT(planned(graph, with(ReluPolicy::kDrop, DType::kInt8, false, RangeKind::kNarrow)).warnings,
              ElementsAre("Relu 'relu': dropped, but zero point -127 is not the type's smallest value -128: negative "
                          "outputs of Conv 'conv' down to -0.0393701 stay"));
}

TEST(DropPolicy, WarnsOfALostClip) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 1, 2, 2})
                          .constant("w", floats({1, 1, 1, 1}, {127}))
                          .constant("zero", Tensor::scalar(0.0F))
                          .constant("six", Tensor::scalar(6.0F))
                          .node("Conv", "conv", {"x", "w"})
                          .node("Clip", "clip", {"conv", "zero", "six"})
                          .output("clip", {1, 1, 2, 2})
                          .build();
  EXPECT_TRUE(planned(graph, with(ReluPolicy::kDrop)).warnings.empty());
  Options options = with(ReluPolicy::kDrop);
  options.overrides["clip"].max = 8;
  EXPECT_THAT(planned(graph, options).warnings,
              ElementsAre("Clip 'clip': dropped, but the quantized range [0, 8] is not cut at the bounds [0, 6]: "
                          "outputs above 6 of Conv 'conv' up to 8 stay"));
}

TEST(DropPolicy, WarnsOfOtherUsesThatSeeTheClampedRange) {
  const Graph graph =
      conv_relu().node("Add", "sum", {"conv", "relu"}).output("sum", {1, 1, 2, 2}).output("conv", {1, 1, 2, 2}).build();
  const Plan plan = planned(graph, with(ReluPolicy::kDrop));
  EXPECT_EQ(plan.carrier("conv"), "relu");
  EXPECT_THAT(plan.warnings, ElementsAre("Relu 'relu': dropped, but 'conv' has other uses (Add 'sum', graph output "
                                         "'conv'), which now get the clamped range"));
}

TEST(KeepPolicy, QuantizesBothSides) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).build();
  const Plan plan = planned(graph, with(ReluPolicy::kKeep));
  EXPECT_EQ(plan.nodes[1].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.nodes[1].reason, "kept as a node of its own");
  // Nobody sees what the Relu cuts, so the Conv's output has the Relu's range.
  EXPECT_EQ(plan.activations.at("conv").params, choose_params(0, 10, {}));
  EXPECT_EQ(plan.activations.at("relu").params, choose_params(0, 10, {}));
}

// Defect L4 of the peer.
TEST(KeepPolicy, AGraphOutputKeepsItsRange) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).output("conv", {1, 1, 2, 2}).build();
  EXPECT_EQ(planned(graph, with(ReluPolicy::kKeep)).activations.at("conv").params, choose_params(-12.3, 10, {}));
}

TEST(AnyPolicy, LeavesTheReluOfAFloatProducerAlone) {
  const Graph graph = conv_relu().output("relu", {1, 1, 2, 2}).build();
  for (const ReluPolicy policy : {ReluPolicy::kSafe, ReluPolicy::kDrop, ReluPolicy::kKeep}) {
    Options options = with(policy);
    options.nodes_to_exclude = {"conv"};
    const Plan plan = planned(graph, options);
    EXPECT_EQ(plan.nodes[1].treatment, Treatment::kFloat);
    EXPECT_EQ(plan.nodes[1].reason, "its input 'conv' is not quantized");
  }
}

}  // namespace
}  // namespace assay::quantizer
