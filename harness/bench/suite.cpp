// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/suite.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/bench/file_report.h"
#include "harness/bench/library_flags.h"
#include "harness/bench/peak_meter.h"

namespace assay::bench {
namespace {

constexpr double kGiga = 1e9;
constexpr double kStretchSeconds = 1e-3;

// Threads beyond the cores raise no ceiling.
int with_a_core(int threads) {
  return std::min(threads, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

enum class Answer { kUnchecked, kRight, kWrong };

// One row in the library's hands. Repetitions of all rows come in random order, so operands are made anew when the row
// changes: only those of one row are in memory.
class Runner {
 public:
  explicit Runner(const BenchmarkRows& rows) : rows_(rows), answers_(rows.size(), Answer::kUnchecked) {}

  void run(std::size_t at, benchmark::State& state);
  std::vector<std::string> take_errors() { return std::move(errors_); }

 private:
  Status prepare(std::size_t at);
  void fail(std::size_t at, benchmark::State& state, const std::string& message);

  const BenchmarkRows& rows_;
  std::vector<Answer> answers_;
  std::optional<std::size_t> at_hand_;
  Prepared prepared_;
  std::vector<std::string> errors_;
};

Status Runner::prepare(std::size_t at) {
  if (at_hand_ == at) {
    return {};
  }
  at_hand_.reset();
  prepared_ = {};
  ASSAY_ASSIGN(prepared_, rows_[at].prepare());
  ASSAY_TRY(prepared_.call());
  if (answers_[at] == Answer::kUnchecked) {
    ASSAY_TRY(prepared_.check());
    answers_[at] = Answer::kRight;
  }
  at_hand_ = at;
  return {};
}

Result<double> seconds_per_call(const std::function<Status()>& call, Index calls, double (*now)()) {
  ASSAY_TRY(call());  // warms up
  const double start = now();
  for (Index i = 0; i < calls; ++i) {
    ASSAY_TRY(call());
  }
  return (now() - start) / static_cast<double>(calls);
}

void Runner::fail(std::size_t at, benchmark::State& state, const std::string& message) {
  if (answers_[at] != Answer::kWrong) {
    errors_.push_back(message.find(rows_[at].name) == std::string::npos ? rows_[at].name + ": " + message : message);
  }
  answers_[at] = Answer::kWrong;
  state.SkipWithError(message.c_str());
}

void Runner::run(std::size_t at, benchmark::State& state) {
  if (answers_[at] == Answer::kWrong) {
    state.SkipWithError("failed before");
    return;
  }
  if (const Status made = prepare(at); !made.ok()) {
    return fail(at, state, made.error().message);
  }
  const Work& work = prepared_.work;
  const auto now = work.threads > 1 ? wall_seconds : thread_seconds;
  std::optional<PeakMeter> meter;
  if (work.peak != nullptr) {
    meter.emplace(*work.peak);
  }
  double seconds = 0;
  Index calls = 0;
  Index calls_of_stretch = 1;  // found by doubling
  double start = now();
  // Ends a stretch of calls, with its share of the peak unless it was too short to tell.
  const auto end_stretch = [&](double taken, double least_seconds) {
    seconds += taken;
    if (taken >= least_seconds) {
      meter->stretch(work.operations * static_cast<double>(calls) / taken / with_a_core(work.threads));
    } else {
      calls_of_stretch *= 2;
    }
    calls = 0;
  };
  for (auto _ : state) {
    if (const Status status = prepared_.call(); !status.ok()) {
      return fail(at, state, status.error().message);
    }
    if (++calls == calls_of_stretch && meter) {
      // The library's clock stops and goes within ours, so that what its own calls take counts for neither.
      const double taken = now() - start;
      state.PauseTiming();
      end_stretch(taken, kStretchSeconds);
      state.ResumeTiming();
      start = now();
    }
  }
  if (calls > 0) {
    seconds += now() - start;
  }
  const double rate = static_cast<double>(state.iterations()) / seconds;
  if (meter && !meter->measured()) {
    meter->stretch(work.operations * rate / with_a_core(work.threads));  // all of them are one
  }
  if (work.operations > 0) {
    state.counters["GOP/s"] = work.operations * rate / kGiga;
  }
  if (meter) {
    state.counters["peak_GOP/s"] = meter->peak() * with_a_core(work.threads) / kGiga;
    state.counters["peak_share"] = meter->share();
  }
  if (work.bytes > 0) {
    state.counters["bytes_per_second"] = work.bytes * rate;
  }
  if (prepared_.baseline) {
    const Result<double> baseline = seconds_per_call(prepared_.baseline, state.iterations(), now);
    if (!baseline.ok()) {
      return fail(at, state, baseline.error().message);
    }
    state.counters["times_baseline"] = 1 / (rate * baseline.value());
  }
  state.SetLabel(prepared_.label);
}

// The library takes its flags as a program's arguments and leaves those that it does not know.
Status initialize_library(std::vector<std::string> flags) {
  static std::string program = "assay";  // the library keeps the pointer
  std::vector<char*> arguments = {program.data()};
  for (std::string& flag : flags) {
    arguments.push_back(flag.data());
  }
  arguments.push_back(nullptr);
  int count = static_cast<int>(flags.size()) + 1;
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) {
    return invalid_argument(fmt::format("Google Benchmark does not know the flag or its value: {}", arguments[1]));
  }
  return {};
}

// Google Benchmark 1.7 deletes its default reporter after a run and uses it again in the next: given from outside, it
// is not deleted. One for JSON cannot begin a second document, so each run has its own.
size_t run_registered(bool json, FileReport* file) {
  if (json) {
    benchmark::JSONReporter reporter;
    return benchmark::RunSpecifiedBenchmarks(&reporter, file);
  }
  static benchmark::BenchmarkReporter* reporter = benchmark::CreateDefaultDisplayReporter();
  return benchmark::RunSpecifiedBenchmarks(reporter, file);
}

}  // namespace

Result<SuiteResult> run_suite(const BenchmarkRows& rows, const SuiteOptions& options) {
  ASSAY_ASSIGN(std::vector<std::string> flags, complete_flags(options.library_flags));
  const bool json = value_of(flags, "--benchmark_format") == "json";
  const bool lists = flag_is_on(flags, "--benchmark_list_tests");
  const std::unique_ptr<FileReport> file = FileReport::take(flags);
  ASSAY_TRY(initialize_library(std::move(flags)));
  benchmark::ClearRegisteredBenchmarks();
  for (const auto& [key, value] : options.context) {
    benchmark::AddCustomContext(key, value);
  }
  Runner runner(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    benchmark::RegisterBenchmark(rows[i].name.c_str(), [&runner, &rows, &options, i](benchmark::State& state) {
      options.on_begin(rows[i].name);
      runner.run(i, state);
      options.on_end();
    });
  }
  SuiteResult result;
  result.selected = static_cast<Index>(run_registered(json, file.get()));
  benchmark::ClearRegisteredBenchmarks();
  result.errors = runner.take_errors();
  if (file != nullptr && result.selected > 0 && !lists) {
    ASSAY_TRY(file->write());
  }
  return result;
}

}  // namespace assay::bench
