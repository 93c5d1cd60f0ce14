// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan with captures, run through a plan.
#include <gtest/gtest.h>

#include "engine/ir/subgraph.h"
#include "engine/runtime/executor.h"

namespace assay::runtime {
namespace {

Node node_of(const std::string& op_type, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Node node;
  node.name = op_type + "_" + outputs[0];
  node.op_type = op_type;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

ValueInfo value(const std::string& name) {
  ValueInfo info;
  info.name = name;
  return info;
}

std::vector<ValueInfo> values(const std::vector<std::string>& names) {
  std::vector<ValueInfo> out;
  for (const std::string& name : names) {
    out.push_back(value(name));
  }
  return out;
}

GraphPtr graph_of(const std::vector<std::string>& inputs, std::vector<Node> nodes,
                  const std::vector<std::string>& outputs) {
  auto graph = std::make_shared<Graph>();
  graph->opsets = {{"", 13}};
  graph->inputs = values(inputs);
  graph->nodes = std::move(nodes);
  graph->outputs = values(outputs);
  return graph;
}

Result<std::map<std::string, Tensor>> run(const GraphPtr& open, const std::map<std::string, Tensor>& inputs,
                                          std::vector<KernelInfo>* infos = nullptr) {
  auto graph = std::make_shared<Graph>(*open);
  capture_outer_values(*graph);
  ASSAY_ASSIGN(const Plan plan, build_plan(graph, {}));
  if (infos != nullptr) {
    *infos = kernels(plan);
  }
  ASSAY_ASSIGN(ExecuteResult result, execute(plan, inputs));
  return std::move(result.outputs);
}

Tensor flag(bool on) { return Tensor::scalar(on); }

TEST(If, RunsTheChosenBranchWithOuterValues) {
  Node node = node_of("If", {"c"}, {"y"});
  node.attributes["then_branch"] = graph_of({}, {node_of("Add", {"a", "w"}, {"t"})}, {"t"});
  node.attributes["else_branch"] = graph_of({}, {node_of("Mul", {"a", "b"}, {"t"})}, {"t"});
  auto graph = std::make_shared<Graph>(*graph_of({"a", "b", "c"}, {node}, {"y"}));
  graph->initializers["w"] = Tensor::scalar(100.0F);
  std::map<std::string, Tensor> inputs = {{"a", Tensor::scalar(3.0F)}, {"b", Tensor::scalar(5.0F)}, {"c", flag(true)}};
  std::vector<KernelInfo> infos;
  auto outputs = run(graph, inputs, &infos);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(outputs.value().at("y").data<float>()[0], 103.0F);
  ASSERT_EQ(infos.size(), 3U);
  EXPECT_EQ(infos[0].kernel, "control");
  EXPECT_EQ(infos[1].node, "If_y/then_branch/Add_t");
  EXPECT_EQ(infos[2].node, "If_y/else_branch/Mul_t");
  inputs["c"] = flag(false);
  outputs = run(graph, inputs);
  EXPECT_EQ(outputs.value().at("y").data<float>()[0], 15.0F);
  inputs["c"] = Tensor::from<bool>({2}, {true, false});
  EXPECT_EQ(run(graph, inputs).error().message, "If node 'If_y' (opset 13): cond must have one element; found [2]");
}

TEST(If, NamesTheBranchInAnError) {
  Node node = node_of("If", {"c"}, {"y"});
  node.attributes["then_branch"] = graph_of({}, {node_of("Det", {"a"}, {"t"})}, {"t"});
  node.attributes["else_branch"] = graph_of({}, {node_of("Abs", {"a"}, {"t"})}, {"t"});
  const auto outputs = run(graph_of({"a", "c"}, {node}, {"y"}), {});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().message,
            "If node 'If_y' (opset 13): then_branch: Det node 'Det_t' (opset 13): no operator Det of domain ai.onnx at "
            "opset 13");
}

// s_0 = start, s_{i+1} = s_i + step while s < limit; collects every s.
GraphPtr counting_loop() {
  Node loop = node_of("Loop", {"m", "c", "start"}, {"last", "all"});
  loop.attributes["body"] =
      graph_of({"i", "go", "s"},
               {node_of("Add", {"s", "step"}, {"next"}), node_of("Less", {"next", "limit"}, {"more"}),
                node_of("Identity", {"next"}, {"seen"})},
               {"more", "next", "seen"});
  return graph_of({"m", "c", "start", "step", "limit"}, {loop}, {"last", "all"});
}

TEST(Loop, StopsAtTheConditionOrTheTripCount) {
  std::map<std::string, Tensor> inputs = {{"m", Tensor::scalar(Index{100})},
                                          {"c", flag(true)},
                                          {"start", Tensor::scalar(1.0F)},
                                          {"step", Tensor::scalar(2.0F)},
                                          {"limit", Tensor::scalar(6.0F)}};
  auto outputs = run(counting_loop(), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(outputs.value().at("last").data<float>()[0], 7.0F);
  EXPECT_TRUE(bytes_equal(outputs.value().at("all"), Tensor::from<float>({3}, {3, 5, 7})));
  inputs["m"] = Tensor::scalar(Index{2});
  outputs = run(counting_loop(), inputs);
  EXPECT_EQ(outputs.value().at("last").data<float>()[0], 5.0F);
  inputs["c"] = flag(false);
  outputs = run(counting_loop(), inputs);
  EXPECT_EQ(outputs.value().at("last").data<float>()[0], 1.0F);
  EXPECT_EQ(outputs.value().at("all").size(), 0);
}

TEST(Loop, CarriesAndCollectsOneValue) {
  Node loop = node_of("Loop", {"m", "", "start"}, {"last", "all"});
  loop.attributes["body"] =
      graph_of({"i", "go", "s"}, {node_of("Add", {"s", "step"}, {"next"}), node_of("Identity", {"go"}, {"more"})},
               {"more", "next", "next"});
  const auto outputs =
      run(graph_of({"m", "start", "step"}, {loop}, {"last", "all"}),
          {{"m", Tensor::scalar(Index{3})}, {"start", Tensor::scalar(1.0F)}, {"step", Tensor::scalar(2.0F)}});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(outputs.value().at("last").data<float>()[0], 7.0F);
  EXPECT_TRUE(bytes_equal(outputs.value().at("all"), Tensor::from<float>({3}, {3, 5, 7})));
}

TEST(Scan, WalksAxesInBothDirections) {
  Node scan = node_of("Scan", {"state", "x"}, {"sum", "sums"});
  scan.attributes["num_scan_inputs"] = Index{1};
  scan.attributes["scan_input_axes"] = std::vector<Index>{1};
  scan.attributes["scan_input_directions"] = std::vector<Index>{1};
  scan.attributes["scan_output_axes"] = std::vector<Index>{1};
  scan.attributes["body"] =
      graph_of({"s", "e"}, {node_of("Add", {"s", "e"}, {"t"}), node_of("Mul", {"t", "scale"}, {"u"})}, {"t", "u"});
  const auto outputs = run(graph_of({"state", "x", "scale"}, {scan}, {"sum", "sums"}),
                           {{"state", Tensor::from<float>({2}, {0, 0})},
                            {"x", Tensor::from<float>({2, 3}, {1, 2, 3, 10, 20, 30})},
                            {"scale", Tensor::scalar(2.0F)}});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_TRUE(bytes_equal(outputs.value().at("sum"), Tensor::from<float>({2}, {6, 60})));
  EXPECT_TRUE(bytes_equal(outputs.value().at("sums"), Tensor::from<float>({2, 3}, {6, 10, 12, 60, 100, 120})));
}

}  // namespace
}  // namespace assay::runtime
