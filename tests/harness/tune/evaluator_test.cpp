// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/evaluator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/harness/tune/small_network.h"

namespace assay::tune {
namespace {

using test::network;
using test::settings;
using test::source;
using testing::HasSubstr;

Result<Evaluator> make(const std::string& target, const Tensor& labels = {}, Index samples = 20, int threads = 1) {
  return Evaluator::create(network(), source(samples), labels, settings(target, threads));
}

api::Model quantized() {
  quantizer::Options options;
  options.nodes_to_exclude = {"rough"};
  return api::quantize(network(), source(20), options).value().model;
}

TEST(Evaluator, TheFloatModelMeasuresPerfect) {
  const Evaluator evaluator = make("sqnr>=10").value();
  EXPECT_EQ(evaluator.samples(), 20);
  EXPECT_EQ(evaluator.measure(network()).value().value, INFINITY);
  EXPECT_EQ(make("cosine>=0.5").value().measure(network()).value().value, 1);
}

TEST(Evaluator, ScoresDoNotDependOnThreads) {
  const Score one = make("sqnr>=10").value().measure(quantized()).value();
  const Score three = make("sqnr>=10", {}, 20, 3).value().measure(quantized()).value();
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.value, one.sqnr_db);
  EXPECT_GT(one.value, 0);
  EXPECT_LT(one.value, 60);
}

TEST(Evaluator, ALimitTakesTheFirstSamples) {
  const Score some = make("sqnr>=10").value().measure(quantized(), 5).value();
  EXPECT_EQ(some.value, make("sqnr>=10", {}, 5).value().measure(quantized()).value().value);
  EXPECT_NE(some.value, make("sqnr>=10").value().measure(quantized()).value().value);
}

// Labels are the float model's own answers, but for the first two samples: 90 % right, and no drop for itself.
TEST(Evaluator, DropIsInPointsOfTheFloatModelsAccuracy) {
  std::vector<Index> answers;
  const api::Session session = api::Session::create(network(), {}).value();
  for (Index i = 0; i < 20; ++i) {
    api::NamedTensors inputs;
    (void)source(20)(i, inputs);
    const std::vector<double> row = session.run(inputs).value().outputs.at("last").to_doubles();
    answers.push_back(std::distance(row.begin(), std::max_element(row.begin(), row.end())));
  }
  answers[0] = (answers[0] + 1) % 4;
  answers[1] = (answers[1] + 1) % 4;
  const Evaluator evaluator = make("top1_drop<=0.5", Tensor::from<Index>({20}, answers)).value();
  EXPECT_DOUBLE_EQ(evaluator.float_accuracy(), 0.9);
  EXPECT_DOUBLE_EQ(evaluator.measure(network()).value().value, 0);
}

TEST(Evaluator, CostsAreMultiplyAccumulates) {
  const auto costs = make("sqnr>=10").value().node_costs();
  EXPECT_EQ(costs, (std::map<std::string, double>{{"first", 64}, {"rough", 64}, {"last", 32}}));
}

// A model of one node, whose output has the shape of x; `last` counts the classes.
api::Model clipped(Index last, float low, float high) {
  return api::Model::from_graph(assay::test::GraphBuilder()
                                    .input("x", {1, last})
                                    .constant("low", Tensor::from<float>({}, {low}))
                                    .constant("high", Tensor::from<float>({}, {high}))
                                    .node("Clip", "y", {"x", "low", "high"})
                                    .output("y", {1, last})
                                    .build())
      .value();
}

api::CalibrationSource values(const std::vector<float>& sample) {
  return [sample](Index position, api::NamedTensors& inputs) -> Result<bool> {
    inputs["x"] = Tensor::from<float>({1, static_cast<Index>(sample.size())}, sample);
    return position < 3;
  };
}

TEST(Evaluator, RefusesWhatNoSettingCouldMiss) {
  const auto error = [](const api::Model& model, const std::vector<float>& sample, const std::string& target) {
    const auto made = Evaluator::create(model, values(sample), {}, settings(target));
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_THAT(error(clipped(2, 2, 3), {0, 1}, "sqnr>=30"), HasSubstr("is one constant on these samples"));
  EXPECT_EQ(error(clipped(2, 0, 3), {0, 1}, "sqnr>=30"), "");
  EXPECT_THAT(error(clipped(1, 0, 3), {1}, "top1_agreement>=1"), HasSubstr("a row has 1 class"));
  EXPECT_THAT(error(clipped(2, 0, 3), {0, 1}, "top2_agreement>=1"), HasSubstr("the top 2 always agree"));
  EXPECT_THAT(error(clipped(2, 0, 3), {0, NAN}, "sqnr>=30"), HasSubstr("sample 0, input 'x': element 1 is nan"));
  EXPECT_THAT(error(clipped(2, 0, INFINITY), {0, INFINITY}, "sqnr>=30"), HasSubstr("element 1 is inf"));
}

TEST(Evaluator, ErrorsNameTheRule) {
  EXPECT_THAT(make("sqnr>=1", {}, 0).error().message, HasSubstr("no samples"));
  EXPECT_THAT(make("top1_drop<=1").error().message, HasSubstr("labels of shape [20] are needed, found none"));
  EXPECT_THAT(make("top1_drop<=1", Tensor::from<Index>({2}, {1, 2})).error().message,
              HasSubstr("20 samples, so labels of shape [20] are needed, found [2]"));
  EXPECT_THAT(make("top1_drop<=1", Tensor::from<Index>({20}, std::vector<Index>(20, 4))).error().message,
              HasSubstr("none of the 4 classes"));
  EvaluationSettings other = settings("sqnr>=1");
  other.output = "nowhere";
  EXPECT_THAT(Evaluator::create(network(), source(2), {}, other).error().message,
              HasSubstr("no output 'nowhere'; its outputs are: last"));
}

}  // namespace
}  // namespace assay::tune
