// SPDX-License-Identifier: Apache-2.0
#include "engine/api/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/random.h"

namespace assay::api {
namespace {

Node make_node(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Node node;
  node.op_type = op;
  node.name = op;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

ValueInfo value(const std::string& name, DType dtype, std::vector<Dim> dims) {
  return {.name = name, .dtype = dtype, .has_shape = true, .dims = std::move(dims)};
}

Dim size(Index n) { return {.size = n, .name = ""}; }

Tensor random_tensor(test::Random& random, const Shape& shape) {
  Tensor tensor = Tensor::allocate(DType::kFloat32, shape).value();
  for (float& element : tensor.mutable_data<float>()) {
    element = random.uniform(-1, 1);
  }
  return tensor;
}

// y = relu(conv(x, w)), whose weights are an Identity of a constant: something to fold.
Graph conv_graph() {
  test::Random random(50);
  Graph graph;
  graph.name = "conv";
  graph.opsets[""] = 13;
  graph.inputs = {value("x", DType::kFloat32, {{.size = -1, .name = "N"}, size(3), size(8), size(8)})};
  graph.initializers["w0"] = random_tensor(random, {4, 3, 3, 3});
  graph.nodes = {make_node("Identity", {"w0"}, {"w"}), make_node("Conv", {"x", "w"}, {"c"}),
                 make_node("Relu", {"c"}, {"y"})};
  graph.outputs = {value("y", DType::kFloat32, {{.size = -1, .name = "N"}, size(4), size(6), size(6)})};
  return graph;
}

Model conv_model() { return Model::from_graph(conv_graph()).value(); }

// q = QLinearMatMul of u8 bytes that saturate int16 pairs: 255 * 127 * 2 = 64770.
Model saturating_model() {
  Graph graph;
  graph.name = "saturating";
  graph.opsets[""] = 13;
  graph.inputs = {value("a", DType::kUint8, {size(1), size(4)})};
  graph.initializers["b"] = Tensor::from<std::int8_t>({4, 1}, {127, 127, 1, 1});
  graph.initializers["scale"] = Tensor::scalar(1.0F);
  graph.initializers["y_scale"] = Tensor::scalar(1000.0F);
  graph.initializers["a_zero"] = Tensor::scalar<std::uint8_t>(0);
  graph.initializers["b_zero"] = Tensor::scalar<std::int8_t>(0);
  graph.nodes = {
      make_node("QLinearMatMul", {"a", "scale", "a_zero", "b", "scale", "b_zero", "y_scale", "a_zero"}, {"y"})};
  graph.outputs = {value("y", DType::kUint8, {size(1), size(1)})};
  return Model::from_graph(graph).value();
}

Session make_session(const Model& model, const SessionOptions& options = {}) {
  auto session = Session::create(model, options);
  EXPECT_TRUE(session.ok()) << session.error().message;
  return std::move(session).value();
}

TEST(Session, RunsAndDescribesItself) {
  test::Random random(51);
  const Session session = make_session(conv_model());
  const auto result = session.run({{"x", random_tensor(random, {2, 3, 8, 8})}});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Tensor& y = result.value().outputs.at("y");
  EXPECT_EQ(y.shape(), (Shape{2, 4, 6, 6}));
  EXPECT_EQ(session.multiply_accumulates(), 2 * 4 * 6 * 6 * 3 * 9);
  const auto kernels = session.kernels();
  ASSERT_EQ(kernels.size(), session.optimized_graph().nodes.size());
  EXPECT_TRUE(kernels[0].kernel.starts_with("onednn:")) << kernels[0].kernel;
  EXPECT_TRUE(result.value().saturation.empty());
}

TEST(Session, EveryLevelGivesTheSameFloats) {
  test::Random random(52);
  const NamedTensors inputs = {{"x", random_tensor(random, {1, 3, 8, 8})}};
  const Tensor reference =
      make_session(conv_model(), {.optimization = Optimization::kNone}).run(inputs).value().outputs.at("y");
  for (const Optimization level : {Optimization::kBasic, Optimization::kExtended, Optimization::kAll}) {
    const Tensor y = make_session(conv_model(), {.optimization = level}).run(inputs).value().outputs.at("y");
    EXPECT_TRUE(bytes_equal(y, reference)) << optimization_name(level);
  }
}

TEST(Session, NoneLeavesTheGraphAlone) {
  const Session none = make_session(conv_model(), {.optimization = Optimization::kNone});
  EXPECT_EQ(none.optimized_graph().nodes.size(), 3U);
  EXPECT_TRUE(none.applied_passes().empty());
  const Session all = make_session(conv_model(), {.optimization = Optimization::kAll});
  EXPECT_LT(all.optimized_graph().nodes.size(), 3U);
  EXPECT_FALSE(all.applied_passes().empty());
}

TEST(Session, DisabledPassesDoNotRun) {
  const Session all = make_session(conv_model());
  ASSERT_FALSE(all.applied_passes().empty());
  SessionOptions options;
  for (const PassInfo& pass : pass_infos()) {
    options.disabled_passes.push_back(pass.name);
  }
  EXPECT_TRUE(make_session(conv_model(), options).applied_passes().empty());
  const auto unknown = Session::create(conv_model(), {.disabled_passes = {"no_such_pass"}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(unknown.error().message.find("no_such_pass"), std::string::npos) << unknown.error().message;
}

TEST(Session, PassesAreDescribed) {
  const auto infos = pass_infos();
  ASSERT_FALSE(infos.empty());
  for (const PassInfo& info : infos) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.description.empty()) << info.name;
    EXPECT_NE(info.first_level, Optimization::kNone) << info.name;
  }
}

TEST(Session, RefusesThreadsOutOfRange) {
  for (const int threads : {0, -1, 257}) {
    const auto session = Session::create(conv_model(), {.threads = threads});
    ASSERT_FALSE(session.ok());
    EXPECT_EQ(session.error().message, "threads must lie in [1, 256]; found " + std::to_string(threads));
  }
  EXPECT_TRUE(Session::create(conv_model(), {.threads = 256}).ok());
}

TEST(Session, RefusesInputsThatBreakTheGraph) {
  const Session session = make_session(conv_model());
  const auto result = session.run({{"x", Tensor::from<float>({1}, {1})}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(result.error().message, "input 'x' must have the shape [N,3,8,8]; its rank is 1, found [1]");
}

TEST(Session, ReportsSaturationWhereItIsAskedFor) {
  const NamedTensors inputs = {{"a", Tensor::from<std::uint8_t>({1, 4}, {255, 255, 1, 1})}};
  SessionOptions options;
  options.profile = {.isa = Isa::kAvx2, .precision = Precision::kFast};
  const Session fast = make_session(saturating_model(), options);
  const auto witnessed = fast.run(inputs, {.tap = {}, .witness_saturation = true});
  ASSERT_TRUE(witnessed.ok()) << witnessed.error().message;
  ASSERT_EQ(witnessed.value().saturation.size(), 1U);
  EXPECT_EQ(witnessed.value().saturation[0].node, "QLinearMatMul");
  EXPECT_EQ(witnessed.value().saturation[0].pairs, 2U);
  EXPECT_EQ(witnessed.value().saturation[0].saturated, 1U);
  EXPECT_EQ(witnessed.value().saturation[0].largest_loss, 2 * 255 * 127 - 32767);
  EXPECT_EQ(witnessed.value().outputs.at("y").to_indices(), (std::vector<Index>{33}));
  EXPECT_TRUE(fast.run(inputs).value().saturation.empty());

  options.profile.precision = Precision::kExact;
  const Session exact = make_session(saturating_model(), options);
  const auto result = exact.run(inputs, {.tap = {}, .witness_saturation = true});
  EXPECT_EQ(result.value().outputs.at("y").to_indices(), (std::vector<Index>{65}));
  EXPECT_TRUE(result.value().saturation.empty());
}

// Depthwise is exact where all weight zero points are equal, which those of an input may be in one run and not in the
// next.
TEST(Session, RecordsTheSaturationOfEveryRunByItsOwnOperands) {
  Graph graph;
  graph.name = "depthwise";
  graph.opsets[""] = 13;
  graph.inputs = {value("x", DType::kUint8, {size(1), size(2), size(1), size(2)}),
                  value("zero", DType::kInt8, {size(2)})};
  graph.initializers["w"] = Tensor::from<std::int8_t>({2, 1, 1, 2}, {127, 127, 127, 127});
  graph.initializers["scale"] = Tensor::scalar(1.0F);
  graph.initializers["y_scale"] = Tensor::scalar(300.0F);
  graph.initializers["x_zero"] = Tensor::scalar<std::uint8_t>(0);
  Node conv = make_node("QLinearConv", {"x", "scale", "x_zero", "w", "scale", "zero", "y_scale", "x_zero"}, {"y"});
  conv.attributes["group"] = Index{2};
  graph.nodes = {conv};
  graph.outputs = {value("y", DType::kUint8, {size(1), size(2), size(1), size(1)})};
  SessionOptions options;
  options.profile = {.isa = Isa::kAvx2, .precision = Precision::kFast};
  const Session session = make_session(Model::from_graph(graph).value(), options);
  for (const std::vector<std::int8_t>& zero : {std::vector<std::int8_t>{0, 0}, {0, 1}, {1, 1}, {1, 0}}) {
    const auto result = session.run({{"x", Tensor::from<std::uint8_t>({1, 2, 1, 2}, {255, 255, 255, 255})},
                                     {"zero", Tensor::from<std::int8_t>({2}, zero)}},
                                    {.tap = {}, .witness_saturation = true});
    ASSERT_TRUE(result.ok()) << result.error().message;
    if (zero[0] == zero[1]) {
      EXPECT_TRUE(result.value().saturation.empty());
      continue;
    }
    ASSERT_EQ(result.value().saturation.size(), 1U);
    EXPECT_EQ(result.value().saturation[0].node, "QLinearConv");
    EXPECT_EQ(result.value().saturation[0].saturated, 2U);
  }
}

// The levels of another architecture are emulated, in their own arithmetic, and the record says so.
TEST(Session, NeonProfilesAreExactOnEveryHost) {
  const NamedTensors inputs = {{"a", Tensor::from<std::uint8_t>({1, 4}, {255, 255, 1, 1})}};
  for (const Isa isa : {Isa::kNeon, Isa::kNeonDot, Isa::kNeonI8mm}) {
    SessionOptions options;
    options.profile = {.isa = isa, .precision = Precision::kFast};
    const Session session = make_session(saturating_model(), options);
    EXPECT_EQ(session.run(inputs).value().outputs.at("y").to_indices(), (std::vector<Index>{65})) << isa_name(isa);
    const auto kernels = session.kernels();
    ASSERT_FALSE(kernels.empty());
    for (const KernelInfo& kernel : kernels) {
      EXPECT_EQ(kernel.native, can_run(host_features(), isa)) << kernel.kernel << " for " << isa_name(isa);
      EXPECT_EQ(kernel.arithmetic, "exact") << kernel.kernel;
    }
  }
}

TEST(Session, TapsWithoutChangingThePlan) {
  test::Random random(53);
  const Session session = make_session(conv_model(), {.optimization = Optimization::kNone});
  const NamedTensors inputs = {{"x", random_tensor(random, {1, 3, 8, 8})}};
  const Tensor reference = session.run(inputs).value().outputs.at("y");
  std::vector<std::string> names;
  RunOptions options;
  options.tap = [&names](const std::string& name, const Tensor&) { names.push_back(name); };
  EXPECT_TRUE(bytes_equal(session.run(inputs, options).value().outputs.at("y"), reference));
  EXPECT_EQ(names, (std::vector<std::string>{"w", "c", "y"}));
}

// Memory that is not there is an error, not the end of the process.
TEST(Session, RefusesShapesBeyondTheLimit) {
  Graph graph;
  graph.name = "huge";
  graph.opsets[""] = 13;
  graph.inputs = {value("a", DType::kFloat32, {{.size = -1, .name = "M"}, size(1)}),
                  value("b", DType::kFloat32, {size(1), {.size = -1, .name = "N"}})};
  graph.nodes = {make_node("MatMul", {"a", "b"}, {"y"})};
  graph.outputs = {value("y", DType::kFloat32, {{.size = -1, .name = "M"}, {.size = -1, .name = "N"}})};
  const Session session = make_session(Model::from_graph(graph).value());
  const Index n = Index{1} << 20;
  const auto result = session.run({{"a", Tensor::allocate(DType::kFloat32, {n, 1}).value()},
                                   {"b", Tensor::allocate(DType::kFloat32, {1, n}).value()}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kUnsupported) << result.error().message;
}

TEST(Session, RunsInSeveralThreadsAtOnce) {
  test::Random random(54);
  const NamedTensors inputs = {{"x", random_tensor(random, {4, 3, 8, 8})}};
  const Tensor reference = make_session(conv_model()).run(inputs).value().outputs.at("y");
  std::vector<int> equal(4, 0);
  std::vector<std::thread> workers;
  for (int& flag : equal) {
    workers.emplace_back([&flag, &inputs, &reference] {
      const Session session = make_session(conv_model());
      flag = bytes_equal(session.run(inputs).value().outputs.at("y"), reference) ? 1 : 0;
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  EXPECT_EQ(equal, (std::vector<int>{1, 1, 1, 1}));
}

TEST(Session, OutputsAreWhatTheGraphDeclares) {
  test::Random random(55);
  const NamedTensors inputs = {{"x", random_tensor(random, {2, 3, 8, 8})}};
  EXPECT_TRUE(make_session(conv_model()).run(inputs).value().warnings.empty());
  Graph graph = conv_graph();
  graph.outputs[0].dims[3] = size(7);
  const auto shape = make_session(Model::from_graph(graph).value()).run(inputs);
  ASSERT_TRUE(shape.ok()) << shape.error().message;
  EXPECT_EQ(shape.value().warnings,
            std::vector<std::string>{"output 'y' is declared [N,4,6,7]; its shape is [2,4,6,6]"});
  graph.outputs[0].dims.pop_back();
  EXPECT_EQ(make_session(Model::from_graph(graph).value()).run(inputs).value().warnings.size(), 1U);
  graph = conv_graph();
  graph.outputs[0].dtype = DType::kInt64;
  const auto type = make_session(Model::from_graph(graph).value()).run(inputs);
  ASSERT_FALSE(type.ok());
  EXPECT_EQ(type.error().kind, ErrorKind::kInvalidModel);
  EXPECT_EQ(type.error().message, "output 'y' is declared int64; the graph computes float32");
}

TEST(Optimization, HasNames) {
  for (const Optimization level :
       {Optimization::kNone, Optimization::kBasic, Optimization::kExtended, Optimization::kAll}) {
    EXPECT_EQ(optimization_from_name(optimization_name(level)), level);
  }
  EXPECT_EQ(optimization_name(Optimization::kExtended), "extended");
  EXPECT_FALSE(optimization_from_name("ALL").has_value());
}

}  // namespace
}  // namespace assay::api
