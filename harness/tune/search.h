// SPDX-License-Identifier: Apache-2.0
// The accuracy-aware mode: settings, and layers to leave in float, until a target is met.
//
// 1. settings: the configuration as given.
// 2. option: one change of the settings after the other (alternatives.h), and what measures better is kept. Where a
//    round through all of them improved something there is another, three at most: a change can be good only beside a
//    later one.
// 3. sensitivity: each layer (a node that computes, with the clamps behind it) is quantized alone, and the noise that
//    it brings into the outputs is measured. Layers are then in the order of noise_share / (work_share + 0.01): of two
//    with the same noise, float costs less in the one that does less work.
// 4. layers: the first 1, 2, 4, ... layers stay float until the target is met; bisection finds the fewest between the
//    last two.
// 5. restore: each of these in turn, the last first, is quantized again where the target is still met, until five in a
//    row cannot be.
// The first configuration that meets the target ends steps 1 and 2. Where none does, the best is kept: the better value
// of the metric, of equal ones the higher SQNR. No step depends on the clock, but for the time limit: no new trial
// begins after it, steps 1 and 2 take at most half of it, and step 3 at most half of what is left then.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/spec/axis.h"
#include "harness/tune/alternatives.h"
#include "harness/tune/evaluator.h"
#include "harness/tune/trials.h"

namespace assay::tune {

struct SearchOptions {
  std::vector<Alternative> alternatives = default_alternatives();
  double budget_seconds = 0;       // 0: none
  Index max_float_layers = -1;     // -1: all but one
  Index sensitivity_samples = 64;  // the first so many
  // Called before each trial: what is tried, and how far its phase is.
  std::function<void(const std::string& text, std::size_t done, std::size_t total)> progress = {};
};

struct Step {
  std::string phase = {};   // "settings", "option", "layers", "restore"
  std::string change = {};  // against what was best before: "quantizer.per_channel=true"
  std::optional<Score> score = {};
  std::string refused = {};   // why there is no score: the quantizer's message
  Index float_nodes = 0;      // nodes of the float model that compute in float
  Index float_layers = 0;     // of these, layers that the search left out
  double float_work = 0;      // share of the multiply-accumulates that float nodes do
  Index parameter_bytes = 0;  // of the model's constants
  bool met = false;
  bool kept = false;  // the best so far
  double seconds = 0;
};

struct Sensitivity {
  std::string node;
  std::string op_type;
  double sqnr_db = 0;      // of the outputs where this layer alone is quantized; +infinity: no noise at all
  double noise_share = 0;  // of the noise power of all layers
  double work_share = 0;   // of the multiply-accumulates
};

struct SearchResult {
  api::QuantizeResult quantized;
  spec::Configuration configuration;  // the float layers are in quantizer.nodes_to_exclude
  Step best = {};
  bool met = false;
  std::string ended = {};  // why the search ended
  std::vector<std::string> float_layers = {};
  std::vector<Step> steps = {};
  std::vector<Sensitivity> sensitivities = {};  // in the order of step 3; empty where step 3 was not needed
  std::size_t layers = 0;                       // that can be quantized alone, for step 3 to measure
  std::size_t trials = 0;                       // models quantized and measured, those of step 3 included
  std::size_t calibrations = 0;
  double seconds = 0;
};

// Errors: those of the first configuration; later ones are recorded in their step.
Result<SearchResult> search(Trials& trials, const Evaluator& evaluator, const Target& target,
                            const spec::Configuration& given, const SearchOptions& options);

}  // namespace assay::tune
