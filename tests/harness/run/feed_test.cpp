// SPDX-License-Identifier: Apache-2.0
#include "harness/run/feed.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/harness/run/small_models.h"

namespace assay::run {
namespace {

struct Opened {
  std::shared_ptr<RuntimeSession> session;
  Graph graph;
};

Opened session_of(const Graph& graph) {
  const Result<api::Model> model = api::Model::from_graph(graph);
  EXPECT_TRUE(model.ok()) << model.error().message;
  const Result<api::Session> session = api::Session::create(model.value(), {});
  EXPECT_TRUE(session.ok()) << session.error().message;
  return {own_session(session.value()), session.value().optimized_graph()};
}

Tensor counting(Index rows) {
  std::vector<float> values(static_cast<std::size_t>(rows * 3));
  std::iota(values.begin(), values.end(), -4.0F);
  return Tensor::from<float>({rows, 3}, values);
}

TEST(Feed, BatchesGiveWhatTheWholeGives) {
  const Opened open = session_of(test::relu_graph({{-1, "n"}, {3, ""}}));
  const api::NamedTensors inputs = {{"x", counting(7)}};
  const Tensor whole = feed(*open.session, inputs, {}).value().outputs.at("y");
  for (const Index batch : {1, 2, 3, 7, 100}) {
    const Result<FeedPlan> plan = plan_feed(open.graph, inputs, batch, false);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const Result<api::RunResult> result = feed(*open.session, inputs, plan.value());
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(bytes_equal(result.value().outputs.at("y"), whole)) << batch;
  }
}

TEST(Feed, FixedFirstDimensionIsFilledUpAndCutOff) {
  const Graph graph = test::relu_graph({{3, ""}, {3, ""}});
  const Opened fixed = session_of(graph);
  const api::NamedTensors inputs = {{"x", counting(7)}};
  const Result<FeedPlan> plan = plan_feed(graph, inputs, std::nullopt, true);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().batch, 3);
  EXPECT_TRUE(plan.value().padded);
  const Result<api::RunResult> result = feed(*fixed.session, inputs, plan.value());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().outputs.at("y").shape(), (Shape{7, 3}));
  EXPECT_EQ(result.value().outputs.at("y").data<float>()[20], 16.0F);
}

TEST(Feed, RefusesWhatHasNoSamples) {
  const Graph graph = test::relu_graph({{3, ""}, {3, ""}});
  EXPECT_FALSE(plan_feed(graph, {{"x", counting(7)}}, 2, false).ok());  // the model fixes 3
  EXPECT_FALSE(plan_feed(graph, {{"x", Tensor::scalar(1.0F)}}, 3, false).ok());
  EXPECT_FALSE(plan_feed(graph, {{"x", counting(3)}, {"z", counting(4)}}, 3, false).ok());
  EXPECT_FALSE(plan_feed(graph, {{"x", counting(0)}}, 3, false).ok());
  const Result<FeedPlan> whole = plan_feed(graph, {{"x", counting(3)}}, std::nullopt, false);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole.value().samples, 0);
}

TEST(Feed, FirstBatchIsWhatIsTimed) {
  const api::NamedTensors inputs = {{"x", counting(7)}};
  const Result<api::NamedTensors> two = first_batch(inputs, {.samples = 7, .batch = 2, .padded = false});
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two.value().at("x").shape(), (Shape{2, 3}));
  const Result<api::NamedTensors> padded =
      first_batch({{"x", counting(1)}}, {.samples = 1, .batch = 2, .padded = true});
  ASSERT_TRUE(padded.ok());
  EXPECT_EQ(padded.value().at("x").data<float>()[3], -4.0F);
}

TEST(Feed, SlicesRepeatTheirLastRow) {
  const Result<Tensor> rows = slice_rows(counting(7), 1, 2, 4);
  ASSERT_TRUE(rows.ok());
  const auto values = rows.value().data<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{-1, 0, 1, 2, 3, 4, 2, 3, 4, 2, 3, 4}));
}

// y = a x b, two samples, of which the first saturates; b is an input or a constant.
api::RunResult fed_product(bool constant, std::optional<Index> batch) {
  Graph graph;
  graph.opsets = {{"", 13}};
  Node node;
  node.op_type = "MatMulInteger";
  node.name = "product";
  node.inputs = {"a", "b"};
  node.outputs = {"y"};
  graph.nodes = {node};
  api::NamedTensors inputs = {{"a", Tensor::from<std::uint8_t>({2, 1, 2}, {255, 255, 255, 255})}};
  const Tensor b = Tensor::from<std::int8_t>({2, 2, 1}, {127, 127, 1, 1});
  const Tensor first = Tensor::from<std::int8_t>({1, 2, 1}, {127, 127});
  if (constant) {
    graph.initializers["b"] = first;
  } else {
    inputs["b"] = b;
  }
  for (const auto& [name, tensor] : inputs) {
    graph.inputs.push_back({.name = name, .dtype = tensor.dtype()});
  }
  graph.outputs = {{.name = "y", .dtype = DType::kInt32}};
  const api::Model model = api::Model::from_graph(graph).value();
  const auto session = own_session(api::Session::create(model, {.profile = {Isa::kAvx2, Precision::kFast}}).value());
  const FeedPlan plan = plan_feed(graph, inputs, batch, false).value();
  return feed(*session, inputs, plan, {.witness_saturation = true}).value();
}

// A constant is the same weights in every batch; computed weights are others in each.
TEST(Feed, BoundsFromTheWeightsDoNotDependOnTheBatch) {
  for (const bool constant : {true, false}) {
    for (const std::optional<Index> batch :
         {std::optional<Index>{}, std::optional<Index>{1}, std::optional<Index>{2}}) {
      const api::RunResult result = fed_product(constant, batch);
      ASSERT_EQ(result.saturation.size(), 1U);
      EXPECT_EQ(result.saturation[0].saturated, constant ? 2U : 1U);
      ASSERT_EQ(result.saturation[0].channels.size(), 1U);
      const runtime::ChannelSaturation& channel = result.saturation[0].channels[0];
      EXPECT_EQ(channel.weight_pairs, constant ? 1U : 2U) << batch.value_or(0);
      EXPECT_EQ(channel.weight_pairs_at_risk, 1U);
      EXPECT_EQ(channel.largest_possible_loss, 2 * 255 * 127 - 32767);
    }
  }
}

TEST(Feed, LimitStopsEarly) {
  const Opened open = session_of(test::relu_graph({{-1, "n"}, {3, ""}}));
  const Result<api::RunResult> result =
      feed(*open.session, {{"x", counting(7)}}, {.samples = 7, .batch = 2, .padded = false}, {}, 5);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().outputs.at("y").shape(), (Shape{5, 3}));
}

}  // namespace
}  // namespace assay::run
