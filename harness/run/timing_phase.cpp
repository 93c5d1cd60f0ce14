// SPDX-License-Identifier: Apache-2.0
#include "harness/run/timing_phase.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "harness/measure/machine_state.h"
#include "harness/measure/speedup.h"
#include "harness/measure/statistics.h"
#include "harness/measure/tail_quantile.h"
#include "reports/number_text.h"

namespace assay::run {
namespace {

using reports::Outcome;
using reports::Timing;
using reports::VariantResult;
using Clock = std::chrono::steady_clock;

// The answer of a fresh process, or what went wrong.
struct TimedAnswer {
  Json times;
  std::string error;
  std::optional<Outcome> end = std::nullopt;  // crash or timeout: the process did not live to answer
};

TimedAnswer time_in_fresh_process(const std::vector<std::size_t>& positions, const TimingPhaseOptions& options) {
  Result<Process> started = Process::start(options.handler);
  if (!started.ok()) {
    return {{}, started.error().message};
  }
  Process process = std::move(started).value();
  if (!process.send({{"time", positions}})) {
    return {{}, "the timing process was " + process.stop(), Outcome::kCrash};
  }
  const double patience_s = options.timeout_s * static_cast<double>(positions.size() + 1);
  const Clock::time_point start = Clock::now();
  while (!options.interrupted()) {
    pollfd polled{.fd = process.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, 250);
    const bool alive = process.pump();
    if (const std::optional<Json> answer = process.next_answer()) {
      if (answer->contains("error")) {
        return {{}, "the timing process ran into " + answer->at("error").get<std::string>()};
      }
      return {answer->at("times"), ""};
    }
    if (!alive) {
      return {{}, "the timing process was " + process.stop(), Outcome::kCrash};
    }
    if (std::chrono::duration<double>(Clock::now() - start).count() > patience_s) {
      return {{}, fmt::format("the timing process did not end within {:.0f} s", patience_s), Outcome::kTimeout};
    }
  }
  return {{}, "interrupted"};
}

Timing timing_of(const Json& answer) {
  Timing timing;
  timing.samples_ns = answer.at("real").get<std::vector<double>>();
  timing.cpu_samples_ns = answer.at("cpu").get<std::vector<double>>();
  timing.iterations = answer.at("iterations");
  timing.operations = answer.at("operations");
  timing.batch = answer.at("batch");
  timing.float_median_ns = reports::number_from_json(answer.at("float_median_ns"));
  timing.note = answer.at("error");
  const measure::Summary summary = measure::summarize(timing.samples_ns);
  timing.median_ns = summary.median;
  timing.median_low_ns = summary.interval.low;
  timing.median_high_ns = summary.interval.high;
  timing.p95_ns = summary.p95;
  timing.p99_ns = measure::tail_quantile(timing.samples_ns, 0.99);
  timing.variation = summary.variation;
  return timing;
}

class Phase {
 public:
  Phase(const Selection& selection, TimedResults& results, const TimingPhaseOptions& options)
      : selection_(selection), results_(results), options_(options) {}

  void run() {
    std::map<std::size_t, std::vector<std::size_t>> by_case;
    for (const auto& [position, result] : results_) {
      const std::size_t case_index = selection_.variants[position].case_index;
      const bool passed = result.outcome == Outcome::kPass || result.outcome == Outcome::kWeak;
      if (selection_.cases[case_index].timing && passed && !result.timing) {
        by_case[case_index].push_back(position);
      }
    }
    for (const auto& [case_index, positions] : by_case) {
      if (options_.interrupted()) {
        return;
      }
      time_case(case_index, positions);
    }
  }

 private:
  void time_case(std::size_t case_index, const std::vector<std::size_t>& positions) {
    const spec::Case& test_case = selection_.cases[case_index];
    std::vector<std::size_t> native;
    for (const std::size_t position : positions) {
      if (is_emulated(results_[position])) {
        results_[position].timing = Timing{};
        results_[position].timing->note = "not timed: its kernels are emulated on this host";
      } else {
        native.push_back(position);
      }
    }
    if (!native.empty()) {
      options_.say(fmt::format("timing {} variants of {}", native.size(), test_case.name));
      time_together(native);
    }
    if (options_.interrupted()) {
      for (const std::size_t position : positions) {
        results_[position].timing.reset();  // so that --resume times it
      }
      return;
    }
    compare(case_index, positions);
    std::ranges::for_each(positions, options_.on_timed);
  }

  // Interleaved in one process. Where that process dies, each variant is timed in one of its own, so that only the one
  // at fault pays for it.
  void time_together(const std::vector<std::size_t>& positions) {
    const std::optional<double> load = measure::load_average();
    const TimedAnswer answer = time_in_fresh_process(positions, options_);
    if (answer.end && positions.size() > 1) {
      for (const std::size_t position : positions) {
        time_together({position});
      }
      return;
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      VariantResult& result = results_[positions[i]];
      Timing& timing = result.timing.emplace();
      if (answer.error.empty()) {
        timing = timing_of(answer.times.at(i));
        timing.load = load;
        if (answer.times.at(i).contains("mhz")) {
          timing.mhz = reports::number_from_json(answer.times.at(i).at("mhz"));
        }
        if (answer.times.at(i).value("crashed", false)) {
          result.outcome = Outcome::kCrash;
          result.reason = timing.note;
        }
        continue;
      }
      timing.note = answer.error;
      if (answer.end) {
        result.outcome = *answer.end;
        result.reason = answer.error;
      }
    }
  }

  void compare(std::size_t case_index, const std::vector<std::size_t>& positions) {
    const spec::Timing& stated = *selection_.cases[case_index].timing;
    std::vector<spec::Variant> variants;
    std::vector<std::size_t> position_of;
    for (const auto& [position, result] : results_) {
      if (selection_.variants[position].case_index == case_index) {
        variants.push_back(*selection_.variant(position));
        position_of.push_back(position);
      }
    }
    for (const std::size_t position : positions) {
      const auto own = std::ranges::find(position_of, position) - position_of.begin();
      const auto baseline = find_baseline(stated, variants, static_cast<std::size_t>(own));
      compare_one(stated, position, baseline ? std::optional(position_of[*baseline]) : std::nullopt);
    }
  }

  void compare_one(const spec::Timing& stated, std::size_t position, std::optional<std::size_t> baseline) {
    VariantResult& result = results_[position];
    Timing& timing = *result.timing;
    const std::string baseline_text = stated.compare + "=" + spec::axis_value_text(stated.baseline);
    if (!baseline) {
      unclear(stated, result, fmt::format("no baseline: no variant with {} was run", baseline_text));
      return;
    }
    timing.baseline = results_[*baseline].name;
    if (*baseline == position) {
      return;
    }
    timing.at_least_speedup = stated.at_least_speedup;
    const VariantResult& other = results_[*baseline];
    if (is_emulated(result) || is_emulated(other)) {
      const VariantResult& side = is_emulated(result) ? result : other;
      unclear(stated, result, fmt::format("{} is emulated on this host", side.name));
      return;
    }
    if (!other.timing || !other.timing->measured()) {
      unclear(stated, result,
              fmt::format("no time of the baseline {}, whose outcome is {}", other.name,
                          reports::outcome_name(other.outcome)));
      return;
    }
    if (!timing.measured()) {
      unclear(stated, result, "no time: " + timing.note);
      return;
    }
    set_speedup(timing, measure::speedup_of_medians(other.timing->samples_ns, timing.samples_ns));
    if (stated.at_least_speedup) {
      judge(result, *baseline, position, *stated.at_least_speedup);
    }
  }

  // A speed-up that the common run does not show beyond doubt is settled by pairs of fresh processes.
  void judge(VariantResult& result, std::size_t baseline, std::size_t position, double required) {
    Timing& timing = *result.timing;
    measure::Speedup speedup{*timing.speedup, {*timing.speedup_low, *timing.speedup_high}};
    if (measure::judge_speedup(speedup, required) != measure::SpeedVerdict::kHolds) {
      const std::vector<double> ratios = fresh_pairs(baseline, position);
      if (static_cast<int>(ratios.size()) < options_.fresh_pairs) {
        inconclusive(result, "the speed-up could not be confirmed: a timing process failed");
        return;
      }
      speedup = measure::speedup_of_pairs(ratios);
      timing.fresh_pairs = static_cast<std::int64_t>(ratios.size());
      set_speedup(timing, speedup);
    }
    const measure::SpeedVerdict verdict = measure::judge_speedup(speedup, required);
    reports::Check check;
    check.measured = {
        .metric = "speedup",
        .output = "",
        .value = speedup.value,
        .low = speedup.interval.low,
        .high = speedup.interval.high,
        .n = timing.fresh_pairs > 0 ? timing.fresh_pairs : static_cast<std::int64_t>(timing.samples_ns.size())};
    check.at_least = required;
    check.passed = verdict == measure::SpeedVerdict::kHolds;
    check.detail = "against " + timing.baseline;
    result.checks.push_back(check);
    if (verdict == measure::SpeedVerdict::kFails) {
      result.outcome = Outcome::kFail;
      result.reason =
          fmt::format("too slow: {:.2f} times as fast as the baseline, required {:g}", speedup.value, required);
    } else if (verdict == measure::SpeedVerdict::kUnclear) {
      inconclusive(
          result,
          fmt::format("too noisy: a speed-up of {:.2f} [{:.2f}, {:.2f}] does not settle whether {:g} is reached",
                      speedup.value, speedup.interval.low, speedup.interval.high, required));
    }
  }

  std::vector<double> fresh_pairs(std::size_t baseline, std::size_t position) {
    options_.say("confirming the speed-up of " + results_[position].name);
    std::vector<double> ratios;
    for (int pair = 0; pair < options_.fresh_pairs && !options_.interrupted(); ++pair) {
      const bool swapped = pair % 2 == 1;
      const TimedAnswer answer =
          time_in_fresh_process(swapped ? std::vector{position, baseline} : std::vector{baseline, position}, options_);
      if (!answer.error.empty()) {
        break;
      }
      const Timing slow = timing_of(answer.times.at(swapped ? 1 : 0));
      const Timing fast = timing_of(answer.times.at(swapped ? 0 : 1));
      if (!slow.measured() || !fast.measured() || fast.median_ns <= 0) {
        break;
      }
      ratios.push_back(slow.median_ns / fast.median_ns);
    }
    return ratios;
  }

  static void set_speedup(Timing& timing, const measure::Speedup& speedup) {
    timing.speedup = speedup.value;
    timing.speedup_low = speedup.interval.low;
    timing.speedup_high = speedup.interval.high;
  }

  // Where the case demands a speed-up, not knowing it is no pass.
  static void unclear(const spec::Timing& stated, VariantResult& result, const std::string& note) {
    if (result.timing->note.empty()) {
      result.timing->note = note;
    }
    if (stated.at_least_speedup && !reports::is_failure(result.outcome)) {
      inconclusive(result, note);
    }
  }

  static void inconclusive(VariantResult& result, const std::string& reason) {
    result.outcome = Outcome::kInconclusive;
    result.reason = reason;
    result.timing->note = reason;
  }

  const Selection& selection_;
  TimedResults& results_;
  const TimingPhaseOptions& options_;
};

}  // namespace

bool is_emulated(const VariantResult& result) {
  return std::ranges::any_of(result.kernels, [](const reports::Kernel& kernel) { return !kernel.native; });
}

void time_results(const Selection& selection, TimedResults& results, const TimingPhaseOptions& options) {
  Phase(selection, results, options).run();
}

}  // namespace assay::run
