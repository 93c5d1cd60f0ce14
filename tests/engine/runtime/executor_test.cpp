// SPDX-License-Identifier: Apache-2.0
// Runs after the first: their tensors lie in the plan's arena.
#include "engine/runtime/executor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/base/arena_memory.h"
#include "engine/base/block_pool.h"
#include "tests/engine/runtime/random_graph.h"
#include "tests/support/random.h"

namespace assay::runtime {
namespace {

using Values = std::map<std::string, Tensor>;

Plan plan_of(const Graph& graph, int threads) {
  return build_plan(std::make_shared<const Graph>(graph),
                    {.profile = {.isa = best_isa(host_features())}, .threads = threads})
      .value();
}

Values run(const Plan& plan, const Values& inputs) {
  auto result = execute(plan, inputs);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value().outputs;
}

bool same_bytes(const Values& a, const Values& b) {
  for (const auto& [name, tensor] : a) {
    const Tensor& other = b.at(name);
    if (tensor.shape() != other.shape() || std::memcmp(tensor.bytes(), other.bytes(), tensor.size_bytes()) != 0) {
      return false;
    }
  }
  return a.size() == b.size();
}

// The same types and shapes, other values.
Values shuffled(const Values& inputs, test::Random& random) {
  Values out;
  for (const auto& [name, tensor] : inputs) {
    Tensor copy = Tensor::allocate(tensor.dtype(), tensor.shape()).value();
    const auto element = dtype_size_bytes(tensor.dtype());
    for (Index i = 0; i < tensor.size(); ++i) {
      const auto from = static_cast<std::size_t>(random.integer(0, tensor.size() - 1));
      std::memcpy(copy.mutable_bytes() + static_cast<std::size_t>(i) * element, tensor.bytes() + from * element,
                  element);
    }
    out[name] = copy;
  }
  return out;
}

TEST(Executor, RunsInTheArenaEqualFirstRuns) {
  std::int64_t steady = 0;
  std::int64_t planned = 0;
  const std::int64_t graphs = test::case_count(300);
  for (std::int64_t index = 0; index < graphs; ++index) {
    test::Random random(static_cast<std::uint64_t>(index));
    const test::RandomGraph sample = test::random_graph(static_cast<std::uint64_t>(index));
    const int threads = static_cast<int>(random.integer(1, 2));
    const Plan plan = plan_of(sample.graph, threads);
    std::vector<std::pair<Values, Values>> kept;  // results must not change under later runs
    for (int round = 0; round < 5; ++round) {
      const Values inputs = round == 0 ? sample.inputs : shuffled(sample.inputs, random);
      kept.emplace_back(run(plan, inputs), run(plan_of(sample.graph, threads), inputs));
    }
    for (const auto& [later, first] : kept) {
      EXPECT_TRUE(same_bytes(later, first)) << "graph " << index << ": " << sample.text;
    }
    std::vector<Shape> shapes;
    for (const ValueInfo& input : sample.graph.inputs) {
      shapes.push_back(sample.inputs.at(input.name).shape());
    }
    const BlockArena& arena = plan.memory->arena_for(shapes);
    steady += arena.is_steady() ? 1 : 0;
    planned += arena.sizes().arena_bytes > 0 ? 1 : 0;
    EXPECT_GE(arena.sizes().arena_bytes, arena.sizes().peak_bytes) << sample.text;
    EXPECT_LE(arena.sizes().arena_bytes, arena.sizes().sum_bytes) << sample.text;
  }
  EXPECT_EQ(steady, graphs) << "runs on one shape repeat themselves";
  EXPECT_GT(planned, graphs * 9 / 10);
}

Graph two_convolutions(test::Random& random) {
  Graph graph;
  graph.opsets = {{"", 13}};
  const auto floats = [&](const Shape& shape) {
    Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
    for (float& value : tensor.mutable_data<float>()) {
      value = random.uniform(-1, 1);
    }
    return tensor;
  };
  const auto node = [&](const char* op_type, const char* output, std::vector<std::string> inputs,
                        AttributeMap attributes) {
    Node made;
    made.name = made.op_type = op_type;
    made.inputs = std::move(inputs);
    made.outputs = {output};
    made.attributes = std::move(attributes);
    graph.nodes.push_back(std::move(made));
  };
  graph.initializers["w"] = floats({8, 8, 3, 3});
  graph.initializers["scale"] = Tensor::scalar(0.01F);
  graph.initializers["zero"] = Tensor::scalar<std::uint8_t>(128);
  graph.initializers["q"] = Tensor::from<std::int8_t>({8, 8, 3, 3}, std::vector<std::int8_t>(8 * 8 * 9, 3));
  graph.initializers["q_zero"] = Tensor::scalar<std::int8_t>(0);
  const std::vector<Index> two = {2, 2};
  node("Conv", "a", {"x", "w"}, {{"dilations", two}, {"pads", std::vector<Index>{2, 2, 2, 2}}});
  node("QuantizeLinear", "b", {"a", "scale", "zero"}, {});
  node("QLinearConv", "c", {"b", "scale", "zero", "q", "scale", "q_zero", "scale", "zero"}, {});
  node("DequantizeLinear", "y", {"c", "scale", "zero"}, {});
  ValueInfo info;
  info.name = "x";
  info.dtype = DType::kFloat32;
  graph.inputs = {info};
  info.name = "y";
  graph.outputs = {info};
  return graph;
}

// What operators keep from their first run on is no part of what repeats.
TEST(Executor, TheSecondRunLiesInTheArena) {
  test::Random random(61);
  const Graph graph = two_convolutions(random);
  for (const int threads : {1, 2}) {
    const Plan plan = plan_of(graph, threads);
    const Tensor x = Tensor::allocate(DType::kFloat32, {1, 8, 80, 90}).value();
    const Values results = run(plan, {{"x", x}});
    EXPECT_EQ(kept_pool_bytes(), 0U) << "the first run's blocks";
    for (int round = 0; round < 3; ++round) {
      run(plan, {{"x", x}});
      EXPECT_TRUE(plan.memory->arena_for({x.shape()}).is_steady()) << "threads " << threads << " round " << round;
    }
  }
}

// An operand of the result's shape that dies is written over.
TEST(Executor, ElementsAreComputedInPlace) {
  Graph graph;
  graph.opsets = {{"", 13}};
  const auto node = [&](const char* op_type, const char* output, std::vector<std::string> inputs) {
    Node made;
    made.name = made.op_type = op_type;
    made.inputs = std::move(inputs);
    made.outputs = {output};
    graph.nodes.push_back(std::move(made));
  };
  node("Neg", "negative", {"x"});
  node("Relu", "positive", {"x"});
  node("Exp", "grown", {"positive"});
  node("Add", "sum", {"negative", "grown"});
  node("Mul", "square", {"sum", "sum"});  // twice: not in place
  node("Add", "y", {"square", "x"});
  ValueInfo info;
  info.name = "x";
  info.dtype = DType::kFloat32;
  graph.inputs = {info};
  info.name = "y";
  graph.outputs = {info};
  const Index size = 100'000;
  test::Random random(62);
  Tensor x = Tensor::allocate(DType::kFloat32, {1, size}).value();
  for (float& value : x.mutable_data<float>()) {
    value = random.uniform(-2, 2);
  }
  Tensor given = Tensor::allocate(DType::kFloat32, x.shape()).value();
  std::memcpy(given.mutable_bytes(), x.bytes(), x.size_bytes());
  for (const int threads : {1, 2}) {
    const Plan plan = plan_of(graph, threads);
    std::map<std::string, Tensor> tapped;
    ExecuteOptions options;
    options.tap = [&](const std::string& name, const Tensor& tensor) { tapped[name] = tensor; };
    ASSERT_TRUE(execute(plan, {{"x", x}}, options).ok());  // who keeps a tensor keeps its elements
    for (int round = 0; round < 3; ++round) {
      const Values found = run(plan, {{"x", x}});
      ASSERT_TRUE(bytes_equal(x, given)) << "an input is the caller's";
      for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
        const float positive = std::max(given.data<float>()[i], 0.0F);
        ASSERT_EQ(tapped.at("positive").data<float>()[i], positive);
        const float sum = -given.data<float>()[i] + std::exp(positive);
        ASSERT_EQ(tapped.at("sum").data<float>()[i], sum);
        ASSERT_EQ(found.at("y").data<float>()[i], sum * sum + given.data<float>()[i]) << "element " << i;
      }
    }
    // negative and positive, each written over once; square is y.
    const std::size_t tensor_bytes = static_cast<std::size_t>(size) * sizeof(float);
    EXPECT_LT(plan.memory->sizes().sum_bytes, 2 * tensor_bytes + tensor_bytes / 2);
    EXPECT_GE(plan.memory->sizes().sum_bytes, 2 * tensor_bytes);
  }
}

// Likewise in channel blocks, with a network that keeps one value for later: x * clip(x + 3, 0, 6) between
// convolutions.
TEST(Executor, ChannelBlocksAreComputedInPlace) {
  Graph graph;
  graph.opsets = {{"", 13}};
  test::Random random(63);
  const auto node = [&](const char* op_type, const char* output, std::vector<std::string> inputs) {
    Node made;
    made.name = made.op_type = op_type;
    made.inputs = std::move(inputs);
    made.outputs = {output};
    graph.nodes.push_back(std::move(made));
  };
  const auto weights = [&](const char* name, const Shape& shape) {
    Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
    for (float& value : tensor.mutable_data<float>()) {
      value = random.uniform(-1, 1);
    }
    graph.initializers[name] = tensor;
  };
  weights("w", {16, 8, 3, 3});
  weights("v", {8, 16, 1, 1});
  weights("x0", {1, 8, 60, 70});
  graph.initializers["three"] = Tensor::scalar(3.0F);
  graph.initializers["zero"] = Tensor::scalar(0.0F);
  graph.initializers["six"] = Tensor::scalar(6.0F);
  node("Conv", "a", {"x", "w"});
  node("Add", "b", {"a", "three"});
  node("Clip", "c", {"b", "zero", "six"});
  node("Mul", "d", {"a", "c"});
  node("Div", "e", {"d", "six"});
  node("Conv", "y", {"e", "v"});
  ValueInfo info;
  info.name = "x";
  info.dtype = DType::kFloat32;
  graph.inputs = {info};
  info.name = "y";
  graph.outputs = {info};
  const Values inputs = {{"x", graph.initializers.at("x0")}};
  for (const int threads : {1, 2}) {
    const Plan plan = plan_of(graph, threads);
    const auto expected = execute(plan, inputs, {.tap = [](const std::string&, const Tensor&) {}});
    ASSERT_TRUE(expected.ok());
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(same_bytes(run(plan, inputs), expected.value().outputs))
          << "threads " << threads << " round " << round;
    }
    const std::size_t value_bytes = std::size_t{16} * 58 * 68 * sizeof(float);
    EXPECT_LT(plan.memory->sizes().sum_bytes, 3 * value_bytes) << "a, and what the others share";
  }
}

TEST(Executor, ResultsLieOutsideTheArena) {
  const test::RandomGraph sample = test::random_graph(1);
  const Plan plan = plan_of(sample.graph, 1);
  for (int round = 0; round < 3; ++round) {
    for (const auto& [name, tensor] : run(plan, sample.inputs)) {
      EXPECT_EQ(ArenaMemory::find(tensor.bytes()), nullptr) << name;
    }
  }
}

TEST(Executor, EveryNodeIsReported) {
  const test::RandomGraph sample = test::random_graph(2);
  const Plan plan = plan_of(sample.graph, 1);
  std::vector<std::size_t> nodes;
  ASSERT_TRUE(execute(plan, sample.inputs, {.after_node = [&](std::size_t node) { nodes.push_back(node); }}).ok());
  ASSERT_EQ(nodes.size(), sample.graph.nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i], plan.steps[i].node);
  }
}

TEST(Executor, ArenasOfFourShapesAreKept) {
  RunMemory memory;
  const BlockArena* first = &memory.arena_for({{1, 3}});
  EXPECT_NE(&memory.arena_for({{2, 3}}), first);
  EXPECT_EQ(&memory.arena_for({{1, 3}}), first);
  EXPECT_NE(&memory.arena_for({{3, 1}}), first);
  EXPECT_NE(&memory.arena_for({{1, 3}, {1}}), first);
  EXPECT_EQ(&memory.arena_for({{1, 3}}), first);
}

}  // namespace
}  // namespace assay::runtime
