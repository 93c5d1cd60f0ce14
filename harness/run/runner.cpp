// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <optional>

#include "engine/base/output_file.h"
#include "harness/run/host.h"
#include "harness/run/interrupt.h"
#include "harness/run/journal.h"
#include "harness/run/output_folder.h"
#include "harness/run/pool.h"
#include "harness/run/progress.h"
#include "harness/run/rerun.h"
#include "harness/run/scratch_folder.h"
#include "harness/run/settings.h"
#include "harness/run/source_digests.h"
#include "harness/run/test_faults.h"
#include "harness/run/timing_phase.h"
#include "harness/run/variant.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

using reports::Outcome;
using reports::VariantResult;
using Clock = std::chrono::steady_clock;

// What a worker does: {"job": i} runs a variant, {"time": [i, ...]} times some. {"error"}: an exception, as for want of
// memory.
Handler guarded(Handler handler) {
  return [handler = std::move(handler)](const Json& request) -> Json {
    try {
      return handler(request);
    } catch (const std::exception& error) {
      return {{"error", error.what()}};
    }
  };
}

Handler worker_handler(const Selection& selection, const TimingSettings& timing, const std::string& scratch) {
  const auto host = std::make_shared<RuntimeHost>(scratch);
  const auto execution = std::make_shared<std::optional<Execution>>();
  return guarded([&selection, timing, host, execution](const Json& request) -> Json {
    if (request.contains("time")) {
      return time_variants(selection, request.at("time").get<std::vector<std::size_t>>(), timing, *host);
    }
    const SelectedVariant& chosen = selection.variants[request.at("job").get<std::size_t>()];
    const spec::Case& test_case = selection.cases[chosen.case_index];
    apply_test_faults(chosen.variant.name);
    if (!*execution || &(*execution)->test_case() != &test_case) {
      execution->emplace(test_case, *host);
    }
    return reports::result_to_json(run_variant(**execution, chosen.variant));
  });
}

class Runner {
 public:
  Runner(const RunOptions& options, Selection selection) : options_(options), selection_(std::move(selection)) {
    Rerun rerun{.program = options_.program, .settings = options_.select.settings, .timeout_s = {}};
    if (options_.timeout_s != kDefaultTimeoutS) {
      rerun.timeout_s = options_.timeout_s;
    }
    for (const SelectedVariant& chosen : selection_.variants) {
      VariantResult result = blank_result(selection_.cases[chosen.case_index], chosen.variant);
      rerun.onnx_tests = selection_.cases[chosen.case_index].onnx_tests;
      result.rerun = rerun_line(rerun, result.case_file, result.name);
      result.reason = "the run ended before its turn came";
      results_.push_back(std::move(result));
    }
    done_.resize(results_.size(), false);
  }

  RunOutcome run() {
    const Clock::time_point start = Clock::now();
    record_.host = host_facts();
    record_.command = options_.command;
    record_.started = utc_now();
    const Status opened = open_folder();
    if (opened.ok()) {
      scratch_.emplace(journal_ ? options_.folder : "");
      run_variants();
      time_variants_that_passed();
      record_.interrupted = interrupted();
    } else {
      record_.harness_error = opened.error().message;
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (selection_.variants[i].selected) {
        record_.results.push_back(std::move(results_[i]));
      }
    }
    record_.duration_s = std::chrono::duration<double>(Clock::now() - start).count();
    scratch_.reset();
    report();
    return {std::move(record_), {}, journal_.has_value()};
  }

 private:
  // Nothing is written in a folder before it is known to be this run's alone.
  Status open_folder() {
    if (options_.folder.empty() || selection_.selected_count() == 0) {
      return {};
    }
    ASSAY_TRY(prepare_folder(options_.folder));
    ASSAY_ASSIGN(Journal journal, Journal::open(options_.folder));
    SourceDigests digests;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const SelectedVariant& chosen = selection_.variants[i];
      results_[i].sources = digests.of(selection_.cases[chosen.case_index], chosen.variant.configuration);
    }
    if (options_.resume) {
      ASSAY_TRY(take_over(journal));
    }
    remove_reports(options_.folder);
    ASSAY_TRY(options_.resume ? journal.repair() : journal.clear());
    journal_ = std::move(journal);
    return {};
  }

  // What the journal has of the same configuration, made of the same files, is not done again.
  Status take_over(const Journal& journal) {
    ASSAY_ASSIGN(std::vector<VariantResult> known, journal.results());
    std::map<std::string, VariantResult*> by_name;
    std::map<std::string, std::size_t> discarded;  // by reason
    for (VariantResult& result : known) {
      by_name[result.name] = &result;
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const auto found = by_name.find(results_[i].name);
      if (found == by_name.end()) {
        continue;
      }
      const std::string change = found->second->configuration == results_[i].configuration
                                     ? changed_source(found->second->sources, results_[i].sources)
                                     : "their configuration is another";
      if (!change.empty()) {
        ++discarded[change];
        continue;
      }
      found->second->rerun = results_[i].rerun;
      results_[i] = std::move(*found->second);
      done_[i] = true;
    }
    for (const auto& [reason, count] : discarded) {
      options_.say(fmt::format("--resume: {} result{} discarded from the journal, to be made again: {}", count,
                               count == 1 ? "" : "s", reason));
    }
    return {};
  }

  void run_variants() {
    std::vector<PoolJob> jobs;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!done_[i]) {
        const SelectedVariant& chosen = selection_.variants[i];
        const std::string case_key = std::to_string(chosen.case_index);
        jobs.push_back({case_key, case_key + "\n" + quantizer_key(chosen.variant.configuration)});
        positions.push_back(i);
      }
    }
    Progress progress(jobs.size(), options_.progress_bar);
    const Handler handler = worker_handler(selection_, options_.timing_settings, scratch_->path());
    PoolOptions pool;
    pool.workers = options_.workers > 0 ? options_.workers : usable_cores();
    pool.timeout_s = options_.timeout_s;
    pool.handler = [&](const Json& request) {
      return handler({{"job", positions[request.at("job").get<std::size_t>()]}});
    };
    pool.on_report = [&](const JobReport& report) {
      const std::size_t position = positions[report.job];
      take_report(position, report);
      progress.done(results_[position]);
    };
    pool.interrupted = interrupted;
    note(run_jobs(jobs, pool));
    progress.finish();
  }

  void take_report(std::size_t position, const JobReport& report) {
    VariantResult& result = results_[position];
    const std::string rerun = result.rerun;
    const reports::Json sources = result.sources;
    if (report.end == JobEnd::kAnswered) {
      reports::ParsedResult parsed = reports::parse_result(report.answer);
      if (parsed.result) {
        result = std::move(*parsed.result);
      } else {
        result.outcome = Outcome::kCrash;
        result.reason = report.answer.contains("error")
                            ? "the worker ran into " + report.answer.at("error").get<std::string>()
                            : "the worker's answer cannot be read: " + parsed.error;
      }
    } else if (report.end == JobEnd::kCrashed) {
      result.outcome = Outcome::kCrash;
      result.reason = "the worker was " + report.text;
    } else {
      result.outcome = Outcome::kTimeout;
      result.reason = fmt::format("did not end within {:g} s (--timeout)", options_.timeout_s);
    }
    result.rerun = rerun;
    result.sources = sources;
    result.duration_s = report.seconds;
    done_[position] = true;
    write_journal(position);
  }

  void time_variants_that_passed() {
    if (!options_.timing || interrupted()) {
      return;
    }
    Progress progress(0, options_.progress_bar);
    TimingPhaseOptions phase;
    phase.timeout_s = options_.timeout_s;
    phase.handler = worker_handler(selection_, options_.timing_settings, scratch_->path());
    phase.interrupted = interrupted;
    phase.say = [&](const std::string& text) { progress.say(text); };
    phase.on_timed = [&](std::size_t position) { write_journal(position); };
    time_results(selection_, results_, phase);
    progress.finish();
  }

  void write_journal(std::size_t position) {
    if (journal_ && selection_.variants[position].selected) {
      note(journal_->append(results_[position]));
    }
  }

  // --json first: whether it could be written is part of what the report files say, and they of what it says.
  void report() {
    const auto write_json = [&] {
      if (!options_.json_file.empty()) {
        note(replace_file(options_.json_file, reports::render_results_json(record_)));
      }
    };
    write_json();
    if (journal_) {
      const bool sound = record_.harness_error.empty();
      if (!write_reports(options_.folder, record_).ok() && sound) {
        write_json();
      }
    }
  }

  // Keeps the first thing that went wrong with the harness; the run goes on.
  void note(const Status& status) {
    if (!status.ok() && record_.harness_error.empty()) {
      record_.harness_error = status.error().message;
    }
  }

  const RunOptions& options_;
  Selection selection_;
  std::vector<VariantResult> results_;  // parallel to selection_.variants
  std::vector<bool> done_;
  std::optional<Journal> journal_;
  std::optional<ScratchFolder> scratch_;  // only of a folder that is this run's alone
  reports::RunRecord record_;
};

}  // namespace

RunOutcome run_cases(const RunOptions& options) {
  Selection selection = select_variants(options.select);
  if (!selection.errors.empty()) {
    return {{}, std::move(selection.errors), false};
  }
  return Runner(options, std::move(selection)).run();
}

}  // namespace assay::run
