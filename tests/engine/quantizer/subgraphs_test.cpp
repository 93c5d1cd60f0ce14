// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/subgraphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ir/subgraph.h"
#include "engine/quantizer/quantize_graph.h"
#include "engine/quantizer/value_types.h"
#include "tests/engine/quantizer/graph_builder.h"

namespace assay::quantizer {
namespace {

using test::floats;
using test::GraphBuilder;
using testing::HasSubstr;

// y = If(c): x w, else Relu(x).
Graph branches(Index opset = 13) {
  GraphBuilder then_branch;
  then_branch.node("MatMul", "product", {"x", "w"}).output("product", {});
  GraphBuilder else_branch;
  else_branch.node("Relu", "clamped", {"x"}).output("clamped", {});
  GraphBuilder builder(opset);
  builder.input("c", {1}, DType::kBool)
      .input("x", {2, 2})
      .constant("w", floats({2, 2}, {1, 2, 3, 4}))
      .node("If", "choice", {"c"},
            {{"then_branch", std::make_shared<const Graph>(then_branch.build())},
             {"else_branch", std::make_shared<const Graph>(else_branch.build())}})
      .output("choice", {2, 2});
  Graph graph = builder.build();
  for (auto& [key, attribute] : graph.nodes[0].attributes) {
    Graph body = *std::get<GraphPtr>(attribute);
    body.opsets = graph.opsets;
    attribute = std::make_shared<const Graph>(std::move(body));
  }
  capture_outer_values(graph);
  return graph;
}

RangeTable both_ran() {
  return test::ranges(
      {{"x", {-1, 1}}, {"choice/then_branch/product", {-7, 7}}, {"choice/else_branch/clamped", {0, 1}}});
}

const NodeReport* report_of(const QuantizedGraph& result, const std::string& node) {
  const auto found = std::find_if(result.nodes.begin(), result.nodes.end(),
                                  [&](const NodeReport& report) { return report.node == node; });
  return found == result.nodes.end() ? nullptr : &*found;
}

Graph body_of(const QuantizedGraph& result, const std::string& key) {
  return *test::only_node(result.graph, "If").graph_attribute(key);
}

TEST(Subgraphs, AreQuantizedWithTheRangesOfTheirOwnValues) {
  const auto result = quantize_graph(branches(), both_ran(), {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(report_of(result.value(), "choice/then_branch/product")->quantized);
  const Graph body = body_of(result.value(), "then_branch");
  EXPECT_EQ(test::count_op(body, "QuantizeLinear"), 2);
  EXPECT_EQ(test::count_op(body, "MatMul"), 1);
  const auto tensor = std::find_if(result.value().tensors.begin(), result.value().tensors.end(),
                                   [](const TensorReport& report) { return report.tensor == "choice/then_branch/w"; });
  ASSERT_NE(tensor, result.value().tensors.end());
  EXPECT_EQ(tensor->dtype, DType::kInt8);
}

TEST(Subgraphs, MakeNoNameThatTheGraphAroundThemHas) {
  Graph graph = branches();
  graph.nodes.insert(graph.nodes.begin(), graph.nodes[0]);  // a MatMul outside that quantizes x and w too
  graph.nodes[0] = {};
  graph.nodes[0].name = "outer";
  graph.nodes[0].op_type = "MatMul";
  graph.nodes[0].inputs = {"x", "w"};
  graph.nodes[0].outputs = {"outer"};
  graph.outputs.push_back(graph.outputs[0]);
  graph.outputs[1].name = "outer";
  RangeTable ranges = both_ran();
  ranges["outer"] = {.range = {.min = -7, .max = 7}, .fault = "", .rank = 2};
  const auto result = quantize_graph(graph, ranges, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto outside = made_names(result.value().graph);
  const Node choice = test::only_node(result.value().graph, "If");
  for (const char* key : {"then_branch", "else_branch"}) {
    for (const std::string& name : made_names(with_outer_names(*choice.graph_attribute(key), choice))) {
      EXPECT_FALSE(outside.contains(name)) << key << " " << name;
    }
  }
}

TEST(Subgraphs, StayFloatWhereCalibrationNeverWent) {
  const RangeTable ranges = test::ranges({{"x", {-1, 1}}, {"choice/then_branch/product", {-7, 7}}});
  const auto result = quantize_graph(branches(), ranges, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(report_of(result.value(), "choice/then_branch/product")->quantized);
  EXPECT_THAT(report_of(result.value(), "choice/else_branch/clamped")->reason, HasSubstr("calibration never ran it"));
}

TEST(Subgraphs, StayFloatOnRequest) {
  Options options;
  options.subgraphs = false;
  const auto result = quantize_graph(branches(), both_ran(), options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(report_of(result.value(), "choice/then_branch/product")->reason, "quantizer.subgraphs is false");
  EXPECT_EQ(test::count_op(body_of(result.value(), "then_branch"), "QuantizeLinear"), 0);
}

TEST(Subgraphs, TakeSettingsUnderTheirFullNames) {
  Options options;
  options.nodes_to_exclude = {"choice/then_branch/product"};
  const auto excluded = quantize_graph(branches(), both_ran(), options);
  ASSERT_TRUE(excluded.ok());
  EXPECT_FALSE(report_of(excluded.value(), "choice/then_branch/product")->quantized);
  options.nodes_to_exclude.clear();
  options.overrides["choice/then_branch/w"].type = DType::kUint8;
  const auto overridden = quantize_graph(branches(), both_ran(), options);
  ASSERT_TRUE(overridden.ok());
  EXPECT_TRUE(overridden.value().warnings.empty());
  bool found = false;
  for (const auto& [name, tensor] : body_of(overridden.value(), "then_branch").initializers) {
    found = found || (tensor.dtype() == DType::kUint8 && tensor.rank() == 2);
  }
  EXPECT_TRUE(found);
}

TEST(Subgraphs, OfTheDynamicAndWeightOnlyFormatsNeedNoRanges) {
  for (const auto& [format, op_type] :
       {std::pair{Format::kDynamic, "MatMulInteger"}, std::pair{Format::kWeightOnly, "DequantizeLinear"}}) {
    Options options;
    options.format = format;
    const auto result = quantize_graph(branches(), {}, options);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_GE(test::count_op(body_of(result.value(), "then_branch"), op_type), 1);
  }
}

TEST(Subgraphs, FollowTheGraphToItsOpset) {
  Options options;
  options.weight_type = DType::kInt4;
  const auto result = quantize_graph(branches(11), both_ran(), options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().graph.opset(), 21);
  EXPECT_EQ(body_of(result.value(), "else_branch").opset(), 21);
}

TEST(ValueTypes, OfAnIfAreThoseOfItsBranches) {
  const ValueTypes types = value_types(branches());
  EXPECT_EQ(types.at("choice"), DType::kFloat32);
}

}  // namespace
}  // namespace assay::quantizer
