// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/prepare/bias_correction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/quantizer/quantize_graph.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::constant_values;
using test::floats;
using test::GraphBuilder;
using testing::ElementsAre;

Graph two_convs() {
  return GraphBuilder()
      .input("x", {1, 1, 2, 2})
      .constant("w1", floats({2, 1, 1, 1}, {1, -2}))
      .node("Conv", "first", {"x", "w1"})
      .node("Relu", "act", {"first"})
      .constant("w2", floats({1, 2, 1, 1}, {1, 4}))
      .constant("b2", floats({1}, {3}))
      .node("Conv", "second", {"act", "w2", "b2"})
      .output("second", {1, 1, 2, 2})
      .build();
}

Result<BiasMeasurement> measured(const Graph& graph, const Options& options = {}) {
  const auto quantized = quantize_graph(
      graph, test::ranges({{"x", {-1, 1}}, {"first", {-2, 2}}, {"act", {0, 2}}, {"second", {-9, 9}}}), options);
  return quantized.ok() ? measure_bias(graph, quantized.value().graph, options) : quantized.error();
}

TEST(MeasureBias, PutsTheFloatNodeBesideEachQuantizedOne) {
  const auto result = measured(two_convs());
  ASSERT_TRUE(result.ok());
  const Graph& graph = result.value().graph;
  ASSERT_EQ(result.value().probes.size(), 2U);
  for (const BiasProbe& probe : result.value().probes) {
    const Node* real = test::producer_of(graph, probe.real);
    const Node* quantized = test::producer_of(graph, probe.quantized);
    ASSERT_TRUE(real != nullptr && quantized != nullptr);
    EXPECT_EQ(quantized->name, probe.node);
    EXPECT_NE(graph.constant(real->input(1)), nullptr);
  }
  // The first reads the input itself; the second what the first makes, through the Relu that quantization folded.
  const Node* first = test::producer_of(graph, result.value().probes[0].real);
  EXPECT_EQ(first->input(0), "x");
  const Node* relu = test::producer_of(graph, test::producer_of(graph, result.value().probes[1].real)->input(0));
  ASSERT_TRUE(relu != nullptr);
  EXPECT_EQ(relu->op_type, "Relu");
  EXPECT_EQ(relu->input(0), result.value().probes[0].quantized);
}

TEST(MeasureBias, LeavesFloatNodesAndOverriddenBiases) {
  Options options;
  options.nodes_to_exclude = {"first"};
  options.overrides["b2"].symmetric = true;
  const auto result = measured(two_convs(), options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.value().probes.empty());
}

TEST(CorrectBias, SubtractsTheErrorOrGivesABias) {
  Graph graph = two_convs();
  ASSERT_TRUE(correct_bias(graph, {.node = "first", .quantized = "", .real = ""}, {0.5, -1}).ok());
  ASSERT_TRUE(correct_bias(graph, {.node = "second", .quantized = "", .real = ""}, {0.25}).ok());
  EXPECT_THAT(constant_values(graph, graph.nodes[0].input(2)), ElementsAre(-0.5, 1));
  EXPECT_THAT(constant_values(graph, graph.nodes[2].input(2)), ElementsAre(2.75));
}

TEST(CorrectBias, TakesBetaInAndLeavesOthersTheirBias) {
  Graph graph = GraphBuilder()
                    .input("x", {1, 2})
                    .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                    .constant("c", floats({1, 2}, {8, 4}))
                    .node("Gemm", "a", {"x", "w", "c"}, {{"beta", 0.5F}})
                    .node("Gemm", "b", {"a", "w", "c"})
                    .output("b", {1, 2})
                    .build();
  ASSERT_TRUE(correct_bias(graph, {.node = "a", .quantized = "", .real = ""}, {1, -1}).ok());
  EXPECT_THAT(constant_values(graph, graph.nodes[0].input(2)), ElementsAre(3, 3));
  EXPECT_FALSE(graph.nodes[0].has_attribute("beta"));
  EXPECT_THAT(constant_values(graph, graph.nodes[1].input(2)), ElementsAre(8, 4));
}

TEST(CorrectBias, GoesIntoTheAddBehindAMatMul) {
  Graph graph = GraphBuilder()
                    .input("x", {1, 3, 2})
                    .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                    .constant("c", floats({2}, {8, 4}))
                    .node("MatMul", "a", {"x", "w"})
                    .node("Add", "y", {"a", "c"})
                    .output("y", {1, 3, 2})
                    .build();
  ASSERT_TRUE(correct_bias(graph, {.node = "a", .quantized = "", .real = "", .last_axis = true}, {1, -1}).ok());
  EXPECT_THAT(constant_values(graph, graph.nodes[1].input(1)), ElementsAre(7, 5));
}

// beta multiplies what is put in place of a missing C too.
TEST(CorrectBias, ABetaOfAnySizeLosesNothingOfTheCorrection) {
  for (const float beta : {0.0F, 0.5F, -2.0F}) {
    Graph graph = GraphBuilder()
                      .input("x", {1, 2})
                      .input("computed", {1, 2})
                      .constant("w", floats({2, 2}, {1, 2, 3, 4}))
                      .constant("c", floats({2}, {8, 4}))
                      .node("Gemm", "a", {"x", "w"}, {{"beta", beta}})
                      .node("Gemm", "b", {"a", "w", beta == 0 ? "computed" : "c"}, {{"beta", beta}})
                      .output("b", {1, 2})
                      .build();
    const Graph quantized =
        quantize_graph(graph, test::ranges({{"x", {-1, 1}}, {"a", {-4, 4}}, {"b", {-9, 9}}}), {}).value().graph;
    const BiasMeasurement measurement = measure_bias(graph, quantized, {}).value();
    ASSERT_EQ(measurement.probes.size(), 2U) << beta;
    for (const BiasProbe& probe : measurement.probes) {
      ASSERT_TRUE(correct_bias(graph, probe, {1, -1}).ok());
    }
    EXPECT_THAT(constant_values(graph, graph.nodes[0].input(2)), ElementsAre(-1, 1));
    EXPECT_THAT(constant_values(graph, graph.nodes[1].input(2)), ElementsAre(8 * beta - 1, 4 * beta + 1));
    for (const Node& node : graph.nodes) {
      EXPECT_EQ(node.float_attribute("beta", 1), 1);
    }
  }
}

}  // namespace
}  // namespace assay::quantizer
