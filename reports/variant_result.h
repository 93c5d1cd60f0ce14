// SPDX-License-Identifier: Apache-2.0
// The record of one variant. It knows nothing of the engine or the harness.
// Times are in nanoseconds unless the name says otherwise; shares lie in [0, 1].
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reports {

using Json = nlohmann::ordered_json;

enum class Outcome { kPass, kFail, kWeak, kXfail, kXpass, kSkip, kInvalid, kCrash, kTimeout, kNotRun, kInconclusive };

struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
  bool failure;              // counts as a failure of the run
  std::string_view meaning;  // one sentence, shown by `assay explain`
};
// Every outcome, in the order in which they are listed and counted.
const std::vector<OutcomeRow>& outcome_rows();
std::string_view outcome_name(Outcome outcome);
std::optional<Outcome> outcome_from_name(std::string_view name);
bool is_failure(Outcome outcome);

// A measured value, with its 95 % interval where it has one and the number of things it was taken from.
struct Measurement {
  std::string metric;
  std::string output;  // "" where it concerns the variant as a whole
  double value = 0;    // may be infinite or not a number
  std::optional<double> low;
  std::optional<double> high;
  std::int64_t n = 0;  // elements, samples or pairs; 0: not applicable
};

// The element that is furthest off; of metrics of rows the row, with the classes that it was given.
struct WorstElement {
  std::vector<std::int64_t> at;
  double actual = 0;
  double reference = 0;
};

// A measurement held against a limit.
struct Check {
  Measurement measured;
  std::optional<double> at_most;
  std::optional<double> at_least;
  bool passed = false;
  std::string detail;                // what the metric found (where, which element), or why it could not be taken
  Json parameters = Json::object();  // of the metric: {"k": 5}
  std::optional<WorstElement> worst = std::nullopt;
  // Settings with which the check would have passed, each at its tightest: the limits that it breaks (all of them where
  // it passes), and parameters of the metric any of which would have done instead.
  std::vector<std::pair<std::string, double>> would_pass = {};
};

struct Kernel {
  std::string node;
  std::string op;
  std::string kernel;
  std::string isa;
  std::string arithmetic;
  bool native = true;
};

struct SaturatedChannel {
  std::int64_t channel = 0;
  std::uint64_t pairs = 0;
  std::uint64_t saturated = 0;
  std::int64_t largest_loss = 0;
};

inline constexpr std::size_t kMostWorstChannels = 8;

struct Saturation {
  std::string node;
  std::uint64_t pairs = 0;
  std::uint64_t saturated = 0;
  std::int64_t largest_loss = 0;
  std::int64_t samples = 0;  // fed while counting
  // What the weights alone allow, whatever the activations.
  std::uint64_t weight_pairs = 0;
  std::uint64_t weight_pairs_at_risk = 0;
  std::int64_t largest_possible_loss = 0;
  std::int64_t channels = 0;
  std::int64_t channels_saturated = 0;
  std::vector<SaturatedChannel> worst_channels = {};  // most saturated first, kMostWorstChannels at most
};

struct Timing {
  std::vector<double> samples_ns;      // one per repetition, each the mean of its iterations; wall clock
  std::vector<double> cpu_samples_ns;  // CPU time of the same
  double median_ns = 0;
  double median_low_ns = 0;  // 95 % interval of the median
  double median_high_ns = 0;
  double p95_ns = 0;
  std::optional<double> p99_ns;   // nothing where there are too few repetitions to tell
  double variation = 0;           // coefficient of variation of the repetitions
  std::int64_t iterations = 0;    // per repetition
  std::int64_t batch = 0;         // samples per call
  double operations = 0;          // 2 x multiply-accumulates of one call
  std::string baseline;           // name of the variant compared with; "" if none
  std::optional<double> speedup;  // time of the baseline / time of this one
  std::optional<double> speedup_low;
  std::optional<double> speedup_high;
  std::int64_t fresh_pairs = 0;  // pairs of fresh processes behind the speed-up; 0: the common run
  std::optional<double> at_least_speedup;
  std::optional<double> float_median_ns;  // the float model under the same threads and batch, in the same run
  std::optional<double> load;             // load average of the last minute when timing began
  std::optional<double> mhz;              // clock of the processor when timing ended
  std::string note;                       // why there is no time, or no verdict on the speed-up

  bool measured() const { return !samples_ns.empty(); }
  double gops() const { return median_ns > 0 ? operations / median_ns : 0; }  // 1e9 operations per second
};

// How much of a variant's error one part of its making adds.
struct LedgerEntry {
  std::string part;  // quantization, graph, arithmetic, runtime, total
  std::string output;
  double rmse = 0;
  double max_abs_error = 0;
  double share = 0;  // of the total squared error; the parts add up to 1
};

// One case under one configuration.
struct VariantResult {
  std::string case_name;
  std::string case_file;
  std::string name;                     // case[axis=value,...]
  Json variant = Json::object();        // the axes of the case's matrix
  Json configuration = Json::object();  // every axis by its effective value
  Outcome outcome = Outcome::kNotRun;
  std::string reason;
  std::string cause;
  std::vector<Check> checks;
  std::vector<Measurement> measurements;  // taken without a limit
  std::vector<Kernel> kernels;
  std::vector<Saturation> saturation;
  std::vector<LedgerEntry> ledger;
  std::optional<Timing> timing;
  std::vector<std::string> warnings;
  std::vector<std::string> passes;  // that changed the graph, in order
  Json seeds = Json::object();
  Json sources = Json::object();  // digest by file: the case file and those it names
  std::string rerun;
  double duration_s = 0;
  std::size_t shard = 0;  // of a merged run: the shard that ran it; else 0
};

// An axis value as written in names: strings bare, the rest as compact JSON.
std::string value_text(const Json& value);

}  // namespace assay::reports
