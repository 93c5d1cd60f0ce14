// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/timing_engine.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace assay::measure {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr const char* kOwnCpuTime = "own_cpu_s";  // counter: processor seconds of an iteration that ran elsewhere

// Benchmarks are named by the position of their call, so that names of any form survive.
std::size_t position_of(const std::string& name) {
  std::size_t position = 0;
  std::from_chars(name.data(), name.data() + name.size(), position);
  return position;
}

class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::vector<TimedSamples>& samples) : samples_(samples) {}

  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) {
        continue;
      }
      TimedSamples& entry = samples_[position_of(run.run_name.function_name)];
      if (run.error_occurred) {
        entry.error = run.error_message;
      } else if (run.iterations > 0) {
        const auto iterations = static_cast<double>(run.iterations);
        entry.real_ns.push_back(run.real_accumulated_time / iterations * kNanoseconds);
        const auto own = run.counters.find(kOwnCpuTime);
        const double cpu_s = own == run.counters.end() ? run.cpu_accumulated_time / iterations : own->second.value;
        entry.cpu_ns.push_back(cpu_s * kNanoseconds);
        entry.iterations = run.iterations;
      }
    }
  }

 private:
  std::vector<TimedSamples>& samples_;
};

// Interleaving is a flag of the library and has no other door.
void initialize_library() {
  static std::string program = "assay";
  static std::string interleave = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program.data(), interleave.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}

benchmark::internal::Benchmark* register_call(const std::string& name, const TimedCall& timed) {
  if (timed.timed_elsewhere) {
    const auto body = [&call = timed.timed_elsewhere](benchmark::State& state) {
      double cpu_s = 0;
      for (auto _ : state) {
        const Result<OwnTime> time = call();
        if (!time.ok()) {
          state.SkipWithError(time.error().message.c_str());
          break;
        }
        state.SetIterationTime(time.value().real_s);
        cpu_s += time.value().cpu_s;
      }
      state.counters[kOwnCpuTime] = benchmark::Counter(cpu_s, benchmark::Counter::kAvgIterations);
    };
    return benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime();
  }
  const auto body = [&call = timed.call](benchmark::State& state) {
    for (auto _ : state) {
      if (const Status status = call(); !status.ok()) {
        state.SkipWithError(status.error().message.c_str());
        break;
      }
    }
  };
  return benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime()->MeasureProcessCPUTime();
}

// What the first ones took: of the wall clock, and as the call itself says.
struct FirstTimes {
  double wall_s = 0;
  double own_s = 0;
};

Result<FirstTimes> first_times(const TimedCall& timed) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  Clock::time_point start = Clock::now();
  ASSAY_TRY(timed.call());
  FirstTimes times{.wall_s = since(start), .own_s = since(start)};
  if (timed.timed_elsewhere) {
    start = Clock::now();
    ASSAY_ASSIGN(const OwnTime own, timed.timed_elsewhere());
    times = {.wall_s = since(start), .own_s = own.real_s};
  }
  return times;
}

// How often it is done within the limit. Without iterations the library chooses them.
struct Amount {
  int repetitions = 0;
  Index iterations = 0;
};

Amount amount_of(const FirstTimes& first, const TimingOptions& options) {
  const Amount free{.repetitions = options.repetitions, .iterations = 0};
  const double iterations = std::max(1.0, std::ceil(options.min_time_s / std::max(first.own_s, 1e-9)));
  // The library's search for the number of iterations takes about as much as one more repetition, or two.
  const double searches = iterations > 1 ? 2 : 0;
  if (options.limit_s <= 0 || first.wall_s * iterations * (options.repetitions + searches) <= options.limit_s) {
    return free;
  }
  const double calls = std::floor(options.limit_s / first.wall_s);
  if (calls >= options.repetitions) {
    return {.repetitions = options.repetitions, .iterations = static_cast<Index>(calls / options.repetitions)};
  }
  return {.repetitions = static_cast<int>(calls), .iterations = 1};
}

}  // namespace

std::vector<TimedSamples> time_calls(const std::vector<TimedCall>& calls, const TimingOptions& options) {
  initialize_library();
  benchmark::ClearRegisteredBenchmarks();
  std::vector<TimedSamples> samples;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    samples.push_back({.name = calls[i].name, .real_ns = {}, .cpu_ns = {}, .iterations = 0, .error = ""});
    const Result<FirstTimes> first = first_times(calls[i]);
    if (!first.ok()) {
      samples[i].error = first.error().message;
      continue;
    }
    const Amount amount = amount_of(first.value(), options);
    if (amount.repetitions < std::min(kFewestRepetitions, options.repetitions)) {
      samples[i].error =
          fmt::format("not timed: one call took {:.3g} s, and {} of them are not to take more than {:g} s",
                      first.value().wall_s, kFewestRepetitions, options.limit_s);
      continue;
    }
    benchmark::internal::Benchmark* row = register_call(std::to_string(i), calls[i])->Repetitions(amount.repetitions);
    if (amount.iterations > 0) {
      row->Iterations(amount.iterations);
    } else {
      row->MinTime(options.min_time_s);
    }
  }
  if (std::ranges::any_of(samples, [](const TimedSamples& entry) { return entry.error.empty(); })) {
    Collector collector(samples);  // the library complains on stderr where nothing is registered
    benchmark::RunSpecifiedBenchmarks(&collector, ".");
  }
  benchmark::ClearRegisteredBenchmarks();
  for (TimedSamples& entry : samples) {
    if (!entry.error.empty()) {
      entry.real_ns.clear();
      entry.cpu_ns.clear();
    }
  }
  return samples;
}

}  // namespace assay::measure
