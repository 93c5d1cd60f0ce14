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

TEST(Feed, LimitStopsEarly) {
  const Opened open = session_of(test::relu_graph({{-1, "n"}, {3, ""}}));
  const Result<api::RunResult> result =
      feed(*open.session, {{"x", counting(7)}}, {.samples = 7, .batch = 2, .padded = false}, {}, 5);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().outputs.at("y").shape(), (Shape{5, 3}));
}

}  // namespace
}  // namespace assay::run
