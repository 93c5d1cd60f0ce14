// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/search.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "harness/tune/layers.h"
#include "harness/tune/search_report.h"
#include "tests/harness/tune/small_network.h"

namespace assay::tune {
namespace {

using test::network;
using test::settings;
using test::source;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Searched {
  SearchResult result;
  std::string text;
  reports::Json json;
  int reads = 0;  // times that the calibration data were begun
};

Searched run(const std::string& target, SearchOptions options, const spec::Configuration& given = {},
             const api::Model& model = network()) {
  int reads = 0;
  const EvaluationSettings chosen = settings(target);
  const Evaluator evaluator = Evaluator::create(model, source(24), {}, chosen).value();
  Trials trials(model, source(24, &reads), 1);
  Result<SearchResult> found = search(trials, evaluator, chosen.target, given, options);
  EXPECT_TRUE(found.ok()) << found.error().message;
  SearchResult result = std::move(found).value();
  // What is said of the model is true of it.
  EXPECT_EQ(evaluator.measure(result.quantized.model).value().value, result.best.score->value);
  std::string text = render_text(result, evaluator, chosen.target);
  reports::Json json = to_json(result, evaluator, chosen.target, "scalar");
  return {.result = std::move(result), .text = std::move(text), .json = std::move(json), .reads = reads};
}

SearchOptions layers_only() {
  SearchOptions options;
  options.alternatives = {};
  return options;
}

TEST(Search, SettingsThatMeetTheTargetEndIt) {
  const Searched done = run("sqnr>=-1", {});
  EXPECT_TRUE(done.result.met);
  EXPECT_EQ(done.result.trials, 1U);
  EXPECT_THAT(done.result.float_layers, IsEmpty());
  EXPECT_THAT(done.result.sensitivities, IsEmpty());
  EXPECT_EQ(done.result.configuration.explicit_values().size(), 0U);
  EXPECT_THAT(done.text, HasSubstr("target sqnr>=-1 met"));
}

TEST(Search, LeavesTheNoisiestLayerInFloatAndNoOther) {
  const double plain = run("sqnr>=-1", {}).result.best.score->value;
  const Searched done = run("sqnr>=" + std::to_string(plain + 6), layers_only());
  ASSERT_TRUE(done.result.met) << done.text;
  EXPECT_THAT(done.result.float_layers, ElementsAre("rough"));
  EXPECT_EQ(done.result.sensitivities[0].node, "rough");
  EXPECT_EQ(done.result.sensitivities.size(), 3U);
  EXPECT_GT(done.result.sensitivities[0].noise_share, 0.5);
  EXPECT_DOUBLE_EQ(done.result.best.float_work, 64.0 / 160);
  EXPECT_EQ(done.result.best.float_nodes, 1);
  EXPECT_EQ(done.json.at("float_layers"), reports::Json::array({"rough"}));
  EXPECT_EQ(done.json.at("steps").size(), done.result.steps.size());
}

TEST(Search, OptionsComeBeforeLayersAndSetAxesAreLeftAlone) {
  SearchOptions options;
  options.alternatives = values_of("quantizer.per_channel", {true});
  const double plain = run("sqnr>=-1", {}).result.best.score->value;
  const std::string target = "sqnr>=" + std::to_string(plain + 6);
  const Searched free = run(target, options);
  EXPECT_TRUE(free.result.met) << free.text;
  EXPECT_THAT(free.result.float_layers, IsEmpty());
  EXPECT_EQ(free.result.configuration.get("quantizer.per_channel"), true);
  spec::Configuration given;
  given.set("quantizer.per_channel", false);
  const Searched bound = run(target, options, given);
  EXPECT_THAT(bound.result.float_layers, ElementsAre("rough"));
  EXPECT_THAT(bound.text, Not(HasSubstr("per_channel=true")));
}

// The calibration of each method is run once, however many trials there are.
TEST(Search, CalibrationIsSharedByTrials) {
  const Searched done = run("sqnr>=200", layers_only());
  EXPECT_GT(done.result.trials, 4U);
  EXPECT_EQ(done.result.calibrations, 1U);
  EXPECT_EQ(done.reads, 1);
  SearchOptions methods;
  methods.alternatives = {{{{"quantizer.calibration", "mse"}}}, {{{"quantizer.per_channel", true}}}};
  const Searched two = run("sqnr>=200", methods);
  EXPECT_EQ(two.result.calibrations, 2U);
  EXPECT_EQ(two.reads, 2);
}

TEST(Search, TheBestIsKeptWhereTheTargetIsMissed) {
  const Searched done = run("sqnr>=200", layers_only());
  EXPECT_FALSE(done.result.met);
  double best = -INFINITY;
  for (const Step& step : done.result.steps) {
    best = std::max(best, step.score->value);
  }
  EXPECT_EQ(done.result.best.score->value, best);
  EXPECT_THAT(done.text, HasSubstr("MISSED"));
  EXPECT_THAT(done.result.ended, HasSubstr("missed with 2 of 3 layers in float"));
  EXPECT_EQ(done.json.at("met"), false);
  SearchOptions bounded = layers_only();
  bounded.max_float_layers = 1;
  EXPECT_THAT(run("sqnr>=200", bounded).result.float_layers, ElementsAre("rough"));
  bounded.max_float_layers = 0;
  EXPECT_THAT(run("sqnr>=200", bounded).result.float_layers, IsEmpty());
}

TEST(Search, SamePathEveryTime) {
  const Searched first = run("sqnr>=200", {});
  const Searched second = run("sqnr>=200", {});
  ASSERT_EQ(first.result.steps.size(), second.result.steps.size());
  for (std::size_t i = 0; i < first.result.steps.size(); ++i) {
    EXPECT_EQ(first.result.steps[i].change, second.result.steps[i].change);
    EXPECT_EQ(first.result.steps[i].score.has_value(), second.result.steps[i].score.has_value());
  }
  EXPECT_EQ(first.result.quantized.model.serialize().value(), second.result.quantized.model.serialize().value());
}

TEST(Search, NoTrialBeginsAfterTheTimeLimit) {
  SearchOptions options;
  options.budget_seconds = 1e-9;
  const Searched done = run("sqnr>=200", options);
  EXPECT_EQ(done.result.trials, 1U) << "the settings as given are always measured";
  EXPECT_FALSE(done.result.met);
  EXPECT_THAT(done.result.ended, HasSubstr("time limit"));
}

// The alternatives are gone through again as long as that improves something, and nothing is measured twice.
TEST(Search, NoChangeOfOneAxisImprovesWhatOptionsCameTo) {
  SearchOptions options;
  options.max_float_layers = 0;
  options.alternatives = {{{{"quantizer.weight_symmetric", false}}},
                          {{{"quantizer.weight_type", "uint8"}}},
                          {{{"quantizer.per_channel", true}}}};
  const Searched done = run("sqnr>=200", options);
  std::size_t trials = 0;
  for (const Step& step : done.result.steps) {
    trials += step.phase == "option" ? 1 : 0;
  }
  EXPECT_GT(trials, options.alternatives.size()) << "there was one round\n" << done.text;
  EXPECT_LE(trials, 7U) << "of eight configurations one was given";
  for (const Alternative& alternative : open_alternatives(options.alternatives, {})) {
    const std::optional<spec::Configuration> other = apply(alternative, done.result.configuration);
    if (other) {
      SearchOptions none = options;
      none.alternatives = {};
      EXPECT_LE(run("sqnr>=200", none, *other).result.best.score->value, done.result.best.score->value)
          << text_of(alternative) << "\n"
          << done.text;
    }
  }
}

// What follows the node in front of it is no layer of its own: one layer at least stays in integers.
TEST(Search, NodesThatCannotBeQuantizedAloneAreNoLayers) {
  Graph graph = network().graph();
  graph.initializers["shape"] = Tensor::from<Index>({2}, {4, 1});
  graph.nodes.push_back({.name = "turn", .op_type = "Reshape", .inputs = {"last", "shape"}, .outputs = {"y"}});
  graph.outputs[0].name = "y";
  graph.outputs[0].dims = {{4, ""}, {1, ""}};
  const Searched done = run("sqnr>=200", layers_only(), {}, api::Model::from_graph(graph).value());
  EXPECT_FALSE(done.result.met);
  EXPECT_EQ(done.result.layers, 3U);
  EXPECT_EQ(done.result.sensitivities.size(), 3U);
  EXPECT_THAT(done.result.ended, HasSubstr("missed with 2 of 3 layers in float"));
}

// Half of the time goes into the settings at most.
TEST(Search, OptionsLeaveTimeForLayers) {
  SearchOptions options;
  options.budget_seconds = 4;
  options.progress = [](const std::string& text, std::size_t done, std::size_t) {
    if (text.starts_with("quantizer.") && done == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    }
  };
  const Searched done = run("sqnr>=200", options);
  EXPECT_EQ(done.result.steps[2].phase, "option");
  EXPECT_EQ(done.result.steps[3].phase, "layers") << done.text;
  EXPECT_EQ(done.result.sensitivities.size(), 3U);
}

// Half of the time that is left goes into the layers' noise at most: with what it found the search goes on.
TEST(Search, SensitivityLeavesTimeForLayers) {
  SearchOptions options = layers_only();
  options.budget_seconds = 2;
  options.progress = [](const std::string& text, std::size_t done, std::size_t) {
    if (text.starts_with("sensitivity of ") && done == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    }
  };
  const Searched done = run("sqnr>=200", options);
  EXPECT_EQ(done.result.sensitivities.size(), 2U);
  EXPECT_EQ(done.result.layers, 3U);
  EXPECT_EQ(done.result.steps.back().phase, "layers") << done.text;
  EXPECT_THAT(done.text, HasSubstr("(2 of 3 measured)"));
}

TEST(Search, RefusedSettingsAreAStepAndNoEnd) {
  SearchOptions options;
  options.alternatives = {{{{"quantizer.activation_restricted", true}}}, {{{"quantizer.per_channel", true}}}};
  spec::Configuration given;
  given.set("quantizer.activation_type", "int8");
  const Searched done = run("sqnr>=200", options, given);
  EXPECT_THAT(done.result.steps[1].refused, HasSubstr("activation_restricted"));
  EXPECT_FALSE(done.result.steps[1].score);
  EXPECT_GT(done.result.steps.size(), 3U);
  EXPECT_THAT(done.text, HasSubstr("refused: "));
}

TEST(Layers, ClampsGoWithTheNodeInFront) {
  const api::QuantizeResult quantized = api::quantize(network(), source(4), {}).value();
  const std::vector<Layer> layers = layers_of(network().graph(), quantized.nodes);
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].node, "first");
  EXPECT_THAT(layers[0].clamps, ElementsAre("relu"));
  EXPECT_THAT(layers[1].clamps, IsEmpty());
}

}  // namespace
}  // namespace assay::tune
