// SPDX-License-Identifier: Apache-2.0
// Plans, their execution and the evaluation of single nodes.
#include "engine/runtime/plan.h"

#include <gtest/gtest.h>

#include "engine/runtime/evaluate.h"
#include "engine/runtime/executor.h"

namespace assay::runtime {
namespace {

using Inputs = std::map<std::string, Tensor>;

Node make_node(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Node node;
  node.op_type = op;
  node.name = op + "_of_" + (inputs.empty() ? "nothing" : inputs[0]);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

ValueInfo float_value(const std::string& name, std::vector<Dim> dims) {
  return {.name = name, .dtype = DType::kFloat32, .has_shape = true, .dims = std::move(dims)};
}

// y = relu(x + bias), z = y * y
Graph sample_graph() {
  Graph graph;
  graph.opsets[""] = 13;
  graph.inputs = {float_value("x", {{.size = -1, .name = "N"}, {.size = 2, .name = ""}})};
  graph.initializers["bias"] = Tensor::from<float>({2}, {1, -1});
  graph.nodes = {make_node("Add", {"x", "bias"}, {"sum"}), make_node("Relu", {"sum"}, {"y"}),
                 make_node("Mul", {"y", "y"}, {"z"})};
  graph.outputs = {float_value("z", {})};
  return graph;
}

Result<Plan> plan_of(Graph graph) { return build_plan(std::make_shared<const Graph>(std::move(graph)), {}); }

std::string plan_error(Graph graph) {
  const auto plan = plan_of(std::move(graph));
  return plan.ok() ? "" : plan.error().message;
}

std::string run_error(const Graph& graph, const Inputs& inputs) {
  const Plan plan = plan_of(graph).value();
  const auto result = execute(plan, inputs);
  return result.ok() ? "" : result.error().message;
}

const Tensor kX = Tensor::from<float>({1, 2}, {2, 3});

TEST(Plan, RunsNodesInOrder) {
  const Plan plan = plan_of(sample_graph()).value();
  const auto result = execute(plan, {{"x", kX}});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().outputs.at("z").to_doubles(), (std::vector<double>{9, 4}));
  const auto infos = kernels(plan);
  ASSERT_EQ(infos.size(), 3U);
  EXPECT_EQ(infos[1].node, "Relu_of_sum");
  EXPECT_EQ(infos[1].op, "Relu");
  EXPECT_EQ(infos[1].arithmetic, "float32");
}

TEST(Plan, ReleasesEachValueAfterItsLastUse) {
  const Plan plan = plan_of(sample_graph()).value();
  const auto released = [&plan](std::size_t step) {
    std::vector<std::string> names;
    for (const Index value : plan.steps[step].release) {
      names.push_back(plan.values[static_cast<std::size_t>(value)]);
    }
    return names;
  };
  EXPECT_EQ(released(0), (std::vector<std::string>{"x"}));
  EXPECT_EQ(released(1), (std::vector<std::string>{"sum"}));
  EXPECT_EQ(released(2), (std::vector<std::string>{"y"}));
}

TEST(Plan, RefusesUnknownOperators) {
  Graph graph = sample_graph();
  graph.nodes[1].op_type = "Det";
  EXPECT_EQ(plan_error(graph), "Det node 'Relu_of_sum' (opset 13): no operator Det of domain ai.onnx at opset 13");
  graph.nodes[1].domain = "org.example";
  graph.opsets["org.example"] = 3;
  EXPECT_EQ(plan_error(graph),
            "org.example.Det node 'Relu_of_sum' (opset 3): no operator Det of domain org.example at opset 3");
  const auto plan = plan_of(graph);
  EXPECT_EQ(plan.error().kind, ErrorKind::kUnsupported);
}

TEST(Plan, FindsOnnxUnderBothItsNames) {
  Node node = make_node("Relu", {"x"}, {"y"});
  const OperatorRow* row = find_operator(node);
  ASSERT_NE(row, nullptr);
  node.domain = "ai.onnx";
  EXPECT_EQ(find_operator(node), row);
  node.domain = kMicrosoftDomain;
  EXPECT_EQ(find_operator(node), nullptr);
}

TEST(Plan, RefusesValuesUsedBeforeTheyAreMade) {
  Graph graph = sample_graph();
  std::swap(graph.nodes[0], graph.nodes[1]);
  EXPECT_EQ(plan_error(graph), "Relu node 'Relu_of_sum' (opset 13): input 'sum' is not made before the node");
  graph = sample_graph();
  graph.outputs[0].name = "w";
  EXPECT_EQ(plan_error(graph), "graph output 'w' is made by no node");
}

TEST(Executor, PassesInputsAndConstantsThrough) {
  Graph graph = sample_graph();
  graph.outputs = {float_value("x", {}), float_value("bias", {}), float_value("y", {})};
  const Plan plan = plan_of(graph).value();
  const auto outputs = execute(plan, {{"x", kX}}).value().outputs;
  EXPECT_TRUE(bytes_equal(outputs.at("x"), kX));
  EXPECT_TRUE(bytes_equal(outputs.at("bias"), graph.initializers["bias"]));
  EXPECT_EQ(outputs.at("y").to_doubles(), (std::vector<double>{3, 2}));
}

TEST(Executor, TapsComputedValuesInOrder) {
  const Plan plan = plan_of(sample_graph()).value();
  std::vector<std::string> names;
  ExecuteOptions options;
  options.tap = [&names](const std::string& value, const Tensor&) { names.push_back(value); };
  ASSERT_TRUE(execute(plan, {{"x", kX}}, options).ok());
  EXPECT_EQ(names, (std::vector<std::string>{"sum", "y", "z"}));
}

TEST(Executor, AnExceptionBecomesAnError) {
  const Plan plan = plan_of(sample_graph()).value();
  ExecuteOptions options;
  options.tap = [](const std::string&, const Tensor&) { throw std::bad_alloc(); };
  const auto result = execute(plan, {{"x", kX}}, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kResource);
  EXPECT_EQ(result.error().message, "Add node 'Add_of_x' (opset 13): out of memory");
}

TEST(Executor, RefusesInputsThatBreakTheGraph) {
  const Graph graph = sample_graph();
  EXPECT_EQ(run_error(graph, {}), "input 'x' is missing: the graph has float32 [N,2]");
  EXPECT_EQ(run_error(graph, {{"x", Tensor()}}), "input 'x' is missing: the graph has float32 [N,2]");
  EXPECT_EQ(run_error(graph, {{"x", kX}, {"w", kX}}), "'w' is no input of the graph; its inputs are 'x'");
  EXPECT_EQ(run_error(graph, {{"x", Tensor::from<double>({1, 2}, {1, 2})}}),
            "input 'x' must be float32; found float64");
  EXPECT_EQ(run_error(graph, {{"x", kX.reshaped({2})}}),
            "input 'x' must have the shape [N,2]; its rank is 1, found [2]");
  EXPECT_EQ(run_error(graph, {{"x", kX.reshaped({2, 1})}}),
            "input 'x' must have the shape [N,2]; found [2,1], which differs in dimension 1");
}

TEST(Executor, NamedDimensionsAgreeBetweenInputs) {
  Graph graph = sample_graph();
  graph.inputs.push_back(float_value("w", {{.size = -1, .name = "N"}}));
  EXPECT_EQ(run_error(graph, {{"x", kX}, {"w", Tensor::from<float>({1}, {1})}}), "");
  EXPECT_EQ(run_error(graph, {{"x", kX}, {"w", Tensor::from<float>({2}, {1, 2})}}),
            "input 'w' must agree with input 'x' in dimension 'N': found 2 against 1");
}

TEST(Executor, PutsTheNodeInFrontOfItsErrors) {
  Graph graph = sample_graph();
  graph.initializers["bias"] = Tensor::from<float>({3}, {1, 2, 3});
  EXPECT_EQ(run_error(graph, {{"x", kX}}),
            "Add node 'Add_of_x' (opset 13): shapes [1,2] and [3] do not broadcast: 2 against 3");
}

TEST(Executor, SumsMultiplyAccumulates) {
  Graph graph = sample_graph();
  graph.initializers["w"] = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  graph.nodes.push_back(make_node("MatMul", {"z", "w"}, {"p"}));
  graph.nodes.push_back(make_node("MatMul", {"x", "w"}, {"q"}));
  graph.outputs = {float_value("p", {}), float_value("q", {})};
  const Plan plan = plan_of(graph).value();
  EXPECT_EQ(execute(plan, {{"x", kX}}).value().multiply_accumulates, 2 * 2 * 3);
}

TEST(Evaluate, ComputesOneNode) {
  const Graph graph = sample_graph();
  const auto outputs = evaluate_node(graph, graph.nodes[0], {kX, graph.initializers.at("bias")});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(outputs.value()[0].to_doubles(), (std::vector<double>{3, 2}));
  const auto failed = evaluate_node(graph, graph.nodes[0], {kX, Tensor::from<double>({1}, {1})});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message,
            "Add node 'Add_of_x' (opset 13): A and B must have one type; found float32 and float64");
}

}  // namespace
}  // namespace assay::runtime
