// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "harness/run/settings.h"
#include "harness/tune/layers.h"
#include "harness/tune/search_report.h"

namespace assay::tune {
namespace {

using Clock = std::chrono::steady_clock;
using spec::Configuration;
using spec::Json;

constexpr const char* kExclude = "quantizer.nodes_to_exclude";
constexpr double kLeastSqnr = -300;
constexpr const char* kOnly = "quantizer.nodes_to_quantize";
constexpr const char* kBiasCorrection = "quantizer.bias_correction";
constexpr std::size_t kMostRounds = 3;    // through the alternatives
constexpr std::size_t kMostRefusals = 5;  // layers in a row that cannot be integers again

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// What leaving a layer in float is good for. The least of layers counts as a hundredth of the work: its surroundings
// pay.
double noise_for_work(const Sensitivity& layer) { return layer.noise_share / (layer.work_share + 0.01); }

class Search {
 public:
  Search(Trials& trials, const Evaluator& evaluator, const Target& target, const Configuration& given,
         const SearchOptions& options)
      : trials_(trials), evaluator_(evaluator), target_(target), given_(given), options_(options) {
    for (const auto& [node, cost] : evaluator.node_costs()) {
      whole_cost_ += cost;
    }
  }

  Result<SearchResult> run() {
    announce("the settings as given", 0, 1);
    ASSAY_TRY(try_first());
    if (!result_->met) {
      try_options();
    }
    if (!result_->met && !out_of_time()) {
      try_layers();
    }
    if (result_->ended.empty()) {
      result_->ended = result_->met ? "the target is met" : "nothing is left to try";
    }
    result_->calibrations = trials_.calibrations();
    result_->seconds = seconds_since(begin_);
    return std::move(*result_);
  }

 private:
  void announce(const std::string& text, std::size_t done, std::size_t total) const {
    if (options_.progress) {
      options_.progress(text, done, total);
    }
  }

  bool out_of_time() {
    if (options_.budget_seconds <= 0 || seconds_since(begin_) < options_.budget_seconds) {
      return false;
    }
    result_->ended = fmt::format("the time limit of {:g} s is reached", options_.budget_seconds);
    return true;
  }

  // Whether a step that may take until `end` has to stop.
  bool is_past(double end) const { return options_.budget_seconds > 0 && seconds_since(begin_) >= end; }

  // Measures one configuration and records it; whether it is the best so far, and then its model is kept.
  bool attempt(const std::string& phase, const std::string& change, const Configuration& configuration,
               std::vector<std::string> float_layers) {
    Result<Step> step = try_configuration(phase, change, configuration, std::move(float_layers));
    if (!step.ok()) {
      result_->steps.push_back({.phase = phase, .change = change, .refused = step.error().message});
      return false;
    }
    return step.value().kept;
  }

  Result<Step> try_configuration(const std::string& phase, const std::string& change,
                                 const Configuration& configuration, std::vector<std::string> float_layers) {
    const Clock::time_point begin = Clock::now();
    ASSAY_ASSIGN(api::QuantizeResult quantized, trials_.quantize(configuration));
    ASSAY_ASSIGN(const Score score, evaluator_.measure(quantized.model));
    Step step{.phase = phase, .change = change, .score = score};
    for (const api::NodeDecision& node : quantized.nodes) {
      if (!node.quantized) {
        ++step.float_nodes;
        const auto cost = evaluator_.node_costs().find(node.node);
        step.float_work += cost == evaluator_.node_costs().end() ? 0 : cost->second / whole_cost_;
      }
    }
    step.float_layers = static_cast<Index>(float_layers.size());
    step.parameter_bytes = parameter_bytes(quantized.model.graph());
    step.met = target_.met(score.value);
    step.kept = !result_ || is_better(step);
    step.seconds = seconds_since(begin);
    if (!result_) {
      result_.emplace(SearchResult{.quantized = quantized, .configuration = configuration});
    }
    if (step.kept) {
      result_->quantized = std::move(quantized);
      result_->configuration = configuration;
      result_->best = step;
      result_->met = step.met;
      result_->float_layers = std::move(float_layers);
    }
    ++result_->trials;
    result_->steps.push_back(step);
    return step;
  }

  // One that meets the target is better than one that does not; of two that do, the one with fewer float layers.
  bool is_better(const Step& step) const {
    const Step& best = result_->best;
    if (step.met != best.met) {
      return step.met;
    }
    if (step.met && step.float_layers != best.float_layers) {
      return step.float_layers < best.float_layers;
    }
    const Score& a = *step.score;
    const Score& b = *best.score;
    return target_.better(a.value, b.value) || (!target_.better(b.value, a.value) && a.sqnr_db > b.sqnr_db);
  }

  Status try_first() {
    ASSAY_TRY(try_configuration("settings", "as given", given_, {}));
    return {};
  }

  void try_options() {
    const std::vector<Alternative> open = open_alternatives(options_.alternatives, given_);
    std::set<std::string> tried = {settings_text(given_)};
    for (std::size_t round = 0, improved = 1; round < kMostRounds && improved > 0; ++round) {
      improved = 0;
      for (std::size_t i = 0; i < open.size(); ++i) {
        const std::optional<Configuration> configuration = apply(open[i], result_->configuration);
        if (!configuration || !tried.insert(settings_text(*configuration)).second) {
          continue;
        }
        if (result_->met || is_past(options_.budget_seconds / 2)) {
          return;
        }
        const std::string change = text_of(open[i]);
        announce(change, i, open.size());
        improved += attempt("option", change, *configuration, {}) ? 1 : 0;
      }
    }
  }

  // Quantizes one layer alone and measures the noise in the outputs. Nothing where it cannot be quantized alone.
  std::optional<Sensitivity> measure_alone(const Layer& layer) {
    Configuration configuration = result_->configuration;
    Json only = Json::array({layer.node});
    for (const std::string& clamp : layer.clamps) {
      only.push_back(clamp);
    }
    configuration.set(kOnly, only);
    configuration.reset(kExclude);
    configuration.set(kBiasCorrection, false);  // a pass over the calibration data each, which the order is not worth
    const Result<api::QuantizeResult> quantized = trials_.quantize(configuration);
    if (!quantized.ok()) {
      return std::nullopt;
    }
    const auto& nodes = quantized.value().nodes;
    const auto decision = std::ranges::find(nodes, layer.node, &api::NodeDecision::node);
    if (decision == nodes.end() || !decision->quantized) {
      return std::nullopt;
    }
    const Result<Score> score = evaluator_.measure(quantized.value().model, options_.sensitivity_samples);
    ++result_->trials;
    if (!score.ok()) {
      return std::nullopt;
    }
    const auto cost = evaluator_.node_costs().find(layer.node);
    // Outputs without a signal, or that are not numbers, are the noisiest there are.
    const double sqnr = score.value().sqnr_db >= kLeastSqnr ? score.value().sqnr_db : kLeastSqnr;
    return Sensitivity{.node = layer.node,
                       .op_type = layer.op_type,
                       .sqnr_db = sqnr,
                       .noise_share = std::pow(10.0, -sqnr / 10),
                       .work_share = cost == evaluator_.node_costs().end() ? 0 : cost->second / whole_cost_};
  }

  // Where time is limited, half of what is left goes into this, so that what was found can be put to use.
  void measure_layers() {
    const double now = seconds_since(begin_);
    const double end = now + (options_.budget_seconds - now) / 2;
    const std::vector<Layer> layers = layers_of(trials_.model().graph(), result_->quantized.nodes);
    result_->layers = layers.size();
    std::vector<Sensitivity> found;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (is_past(end)) {
        break;
      }
      announce("sensitivity of " + layers[i].node, i, layers.size());
      if (std::optional<Sensitivity> sensitivity = measure_alone(layers[i]); sensitivity) {
        found.push_back(std::move(*sensitivity));
      } else {
        --result_->layers;
      }
    }
    double noise = 0;
    for (const Sensitivity& layer : found) {
      noise += layer.noise_share;
    }
    for (Sensitivity& layer : found) {
      layer.noise_share = noise > 0 ? layer.noise_share / noise : 0;
    }
    std::ranges::stable_sort(found, std::ranges::greater(), noise_for_work);
    result_->sensitivities = std::move(found);
  }

  Configuration without(const std::vector<std::string>& layers) const {
    Configuration configuration = base_;
    Json excluded = base_.get(kExclude);
    for (const std::string& layer : layers) {
      excluded.push_back(layer);
    }
    configuration.set(kExclude, excluded);
    return configuration;
  }

  // Leaves the first `count` layers out; whether the target is met.
  bool leave_out(std::size_t count) {
    std::vector<std::string> layers;
    for (std::size_t i = 0; i < count; ++i) {
      layers.push_back(result_->sensitivities[i].node);
    }
    const std::string change = count == 1 ? layers[0] + " in float" : fmt::format("{} layers in float", count);
    announce(change, count, result_->sensitivities.size());
    (void)attempt("layers", change, without(layers), layers);
    return result_->steps.back().met;
  }

  void try_layers() {
    base_ = result_->configuration;
    measure_layers();
    const std::size_t measured = result_->sensitivities.size();
    std::size_t limit = measured == result_->layers && measured > 0 ? measured - 1 : measured;
    if (options_.max_float_layers >= 0) {
      limit = std::min(limit, static_cast<std::size_t>(options_.max_float_layers));
    }
    std::size_t missed = 0;
    std::size_t met = 0;
    for (std::size_t count = 1; count <= limit && met == 0;) {
      if (out_of_time()) {
        return;
      }
      (leave_out(count) ? met : missed) = count;
      count = count == limit ? limit + 1 : std::min(2 * count, limit);
    }
    if (met == 0) {
      result_->ended = fmt::format("the target is missed with {} of {} layers in float", limit, result_->layers);
      return;
    }
    while (met - missed > 1 && !out_of_time()) {
      const std::size_t middle = missed + (met - missed) / 2;
      (leave_out(middle) ? met : missed) = middle;
    }
    restore();
  }

  void restore() {
    const std::vector<std::string> candidates = result_->float_layers;
    std::size_t refusals = 0;
    for (std::size_t i = candidates.size(); i-- > 0 && refusals < kMostRefusals;) {
      if (out_of_time()) {
        return;
      }
      std::vector<std::string> layers = result_->float_layers;
      std::erase(layers, candidates[i]);
      if (layers.empty()) {
        return;
      }
      announce(candidates[i] + " in integers again", candidates.size() - i, candidates.size());
      refusals = attempt("restore", candidates[i] + " in integers again", without(layers), layers) ? 0 : refusals + 1;
    }
  }

  Trials& trials_;
  const Evaluator& evaluator_;
  const Target& target_;
  const Configuration& given_;
  const SearchOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  double whole_cost_ = 0;
  Configuration base_;
  std::optional<SearchResult> result_;  // from the first configuration on
};

}  // namespace

Result<SearchResult> search(Trials& trials, const Evaluator& evaluator, const Target& target,
                            const spec::Configuration& given, const SearchOptions& options) {
  return Search(trials, evaluator, target, given, options).run();
}

}  // namespace assay::tune
