// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/plan.h"

#include <gtest/gtest.h>

#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;

// x -> Conv conv -> `tail` nodes added by the caller.
GraphBuilder conv_graph() {
  return std::move(GraphBuilder()
                       .input("x", {1, 1, 4, 4})
                       .constant("w", floats({1, 1, 1, 1}, {127}))
                       .node("Conv", "conv", {"x", "w"}));
}

const NodePlan& plan_of(const Graph& graph, const Plan& plan, const std::string& node) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].name == node) {
      return plan.nodes[i];
    }
  }
  ADD_FAILURE() << "no node " << node;
  return plan.nodes[0];
}

TEST(Plan, QuantizesComputeNodesAndWhatFollowsThem) {
  const Graph graph = conv_graph()
                          .node("MaxPool", "pool", {"conv"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
                          .node("Transpose", "turned", {"pool"})
                          .output("turned", {4, 4, 1, 1})
                          .build();
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"conv", {-100, 50}}}), {}).value();
  EXPECT_EQ(plan_of(graph, plan, "conv").treatment, Treatment::kQuantized);
  EXPECT_EQ(plan_of(graph, plan, "pool").treatment, Treatment::kQuantized);
  EXPECT_EQ(plan_of(graph, plan, "turned").treatment, Treatment::kQuantized);
  // The chain shares the Conv's parameters; ranges of pool and turned are not even asked for.
  EXPECT_EQ(plan.activations.at("turned").params, plan.activations.at("conv").params);
  EXPECT_EQ(plan.activations.at("turned").source, "conv");
}

TEST(Plan, LeavesMoversOfFloatValuesInFloat) {
  const Graph graph =
      GraphBuilder().input("x", {1, 4}).node("Transpose", "turned", {"x"}).output("turned", {4, 1}).build();
  const Plan plan = make_plan(graph, {}, {}).value();
  EXPECT_EQ(plan.nodes[0].treatment, Treatment::kFloat);
  EXPECT_EQ(plan.nodes[0].reason, "its input 'x' is not quantized");
  EXPECT_TRUE(plan.activations.empty());
}

TEST(Plan, AnOverrideBreaksSharing) {
  const Graph graph = conv_graph().node("Flatten", "flat", {"conv"}).output("flat", {1, 16}).build();
  Options options;
  options.overrides["flat"].min = -10;
  options.overrides["flat"].max = 10;
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"conv", {-100, 50}}}), options).value();
  EXPECT_EQ(plan.activations.at("flat").params, choose_params(-10, 10, {}));
}

TEST(Plan, AMissingRangeIsNamed) {
  const Graph graph = conv_graph().output("conv", {1, 1, 4, 4}).build();
  const auto calibrated = make_plan(graph, test::ranges({{"x", {-1, 1}}}), {});
  ASSERT_FALSE(calibrated.ok());
  EXPECT_EQ(calibrated.error().message, "calibration never computed tensor 'conv', whose range is needed");
  Options options;
  options.ranges["cnv"] = {0, 1};
  const auto given = make_plan(graph, test::ranges({{"x", {-1, 1}}}), options);
  ASSERT_FALSE(given.ok());
  EXPECT_EQ(given.error().message,
            "quantizer.ranges has no entry for tensor 'conv', whose range is needed; did you mean 'cnv'?");
}

TEST(Plan, AFaultyRangeMattersOnlyWhereItIsNeeded) {
  const Graph graph = conv_graph().node("Relu", "relu", {"conv"}).output("relu", {1, 1, 4, 4}).build();
  RangeTable ranges = test::ranges({{"x", {-1, 1}}, {"conv", {0, 0}}, {"relu", {0, 5}}});
  ranges["conv"].fault = "sample 0: element 2 is nan";
  EXPECT_TRUE(make_plan(graph, ranges, {}).ok());  // the Relu is folded: only its own range counts
  ranges["relu"].fault = "sample 0: element 2 is nan";
  const auto plan = make_plan(graph, ranges, {});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message, "calibration: tensor 'relu' is not finite: sample 0: element 2 is nan");
}

TEST(Plan, SaysWhyANodeStaysFloat) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 2, 4, 4})
                          .input("dynamic", {2, 2, 1, 1})
                          .constant("w", floats({2, 1, 1, 1}, {1, 1}))
                          .constant("c", floats({2}, {1, 1}))
                          .node("Conv", "dynamic_conv", {"x", "dynamic"})
                          .node("BatchNormalization", "norm", {"dynamic_conv", "c", "c", "c", "c"})
                          .node("Add", "constants", {"c", "c"})
                          .node("Clip", "clip", {"norm", "dynamic"})
                          .output("clip", {1, 2, 4, 4})
                          .build();
  Options options;
  options.format = Format::kQOperator;
  const Plan plan = make_plan(graph, {}, options).value();
  EXPECT_EQ(plan.nodes[0].reason, "weight 'dynamic' is not constant");
  EXPECT_EQ(plan.nodes[1].reason, "the QOperator format has no integer form of BatchNormalization");
  EXPECT_EQ(plan.nodes[2].reason, "its inputs are constant");
  EXPECT_EQ(plan.nodes[3].reason, "its bounds are not constant float32 numbers");
}

// QDQ: what is computed is quantized like an activation.
TEST(Plan, ComputedWeightsAreActivationsInQdq) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 1, 4, 4})
                          .input("w", {1, 1, 1, 1})
                          .node("Conv", "conv", {"x", "w"})
                          .output("conv", {1, 1, 4, 4})
                          .build();
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"w", {-2, 2}}, {"conv", {-2, 2}}}), {}).value();
  EXPECT_EQ(plan.nodes[0].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.activations.at("w").params, choose_params(-2, 2, {}));
}

TEST(Plan, OperatorsOutsideTheTableAreQuantizedWhereTheyAreNamed) {
  const Graph graph = conv_graph().node("Exp", "exp", {"conv"}).output("exp", {1, 1, 4, 4}).build();
  const RangeTable ranges = test::ranges({{"x", {-1, 1}}, {"conv", {-1, 1}}, {"exp", {0.3, 3}}});
  EXPECT_EQ(make_plan(graph, ranges, {}).value().nodes[1].reason,
            "Exp is quantized only where quantizer.op_types names it");
  Options options;
  options.op_types = {"Conv", "Exp"};
  const Plan plan = make_plan(graph, ranges, options).value();
  EXPECT_EQ(plan.nodes[1].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.activations.at("exp").params, choose_params(0, 3, {}));
}

TEST(Plan, LayoutOperatorsCanBeForced) {
  const Graph graph =
      GraphBuilder().input("x", {1, 4}).node("Transpose", "turned", {"x"}).output("turned", {4, 1}).build();
  Options options;
  options.force_layout_ops = true;
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}}), options).value();
  EXPECT_EQ(plan.activations.at("turned").source, "x");
}

TEST(Plan, OutputsOfNamedOperatorsStayFloat) {
  const Graph graph = conv_graph().node("Relu", "relu", {"conv"}).output("relu", {1, 1, 4, 4}).build();
  Options options;
  options.exclude_output_op_types = {"Conv"};
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}}), options).value();
  EXPECT_EQ(plan.nodes[0].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.nodes[1].reason, "its input 'conv' is not quantized");
  EXPECT_FALSE(plan.activations.contains("conv"));
}

TEST(Plan, SoftmaxHasFixedParametersInQOperator) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 4})
                          .node("Softmax", "soft", {"x"}, {{"axis", Index{-1}}})
                          .output("soft", {1, 4})
                          .build();
  Options options;
  options.format = Format::kQOperator;
  options.activation_type = DType::kInt8;
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"soft", {0.2, 0.4}}}), options).value();
  EXPECT_EQ(plan.activations.at("soft").params, (QuantParams{DType::kInt8, 1.0F / 256, -128}));
}

TEST(Plan, WeightOnlyMarksNoActivation) {
  const Graph graph = conv_graph().node("Relu", "relu", {"conv"}).output("relu", {1, 1, 4, 4}).build();
  Options options;
  options.format = Format::kWeightOnly;
  const Plan plan = make_plan(graph, {}, options).value();
  EXPECT_EQ(plan.nodes[0].treatment, Treatment::kQuantized);
  EXPECT_EQ(plan.nodes[1].treatment, Treatment::kFloat);
  EXPECT_TRUE(plan.activations.empty());
}

TEST(Plan, MaxPoolWithIndicesStaysFloat) {
  Graph graph = conv_graph()
                    .node("MaxPool", "pool", {"conv"}, {{"kernel_shape", std::vector<Index>{2, 2}}})
                    .output("pool", {1, 1, 3, 3})
                    .build();
  graph.nodes[1].outputs.emplace_back("indices");
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"conv", {-100, 50}}}), {}).value();
  EXPECT_EQ(plan.nodes[1].reason, "a second output is in use");
}

TEST(Plan, SoftmaxHasTheRangeOfProbabilities) {
  const Graph graph = GraphBuilder()
                          .input("x", {1, 4})
                          .node("Softmax", "soft", {"x"}, {{"axis", Index{-1}}})
                          .output("soft", {1, 4})
                          .build();
  const Plan plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"soft", {0.2, 0.4}}}), {}).value();
  EXPECT_EQ(plan.activations.at("soft").params, choose_params(0, 1, {}));
}

TEST(Plan, AxisIsForWeightsOnly) {
  const Graph graph = conv_graph().output("conv", {1, 1, 4, 4}).build();
  Options options;
  options.overrides["conv"].axis = 0;
  const auto plan = make_plan(graph, test::ranges({{"x", {-1, 1}}, {"conv", {-100, 50}}}), options);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().message, "quantizer.overrides for 'conv': axis is for weights, but this is an activation");
}

}  // namespace
}  // namespace assay::quantizer
