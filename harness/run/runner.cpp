// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/base/output_file.h"
#include "harness/run/host.h"
#include "harness/run/interrupt.h"
#include "harness/run/journal.h"
#include "harness/run/maker.h"
#include "harness/run/oom_kills.h"
#include "harness/run/output_folder.h"
#include "harness/run/pool.h"
#include "harness/run/progress.h"
#include "harness/run/rerun.h"
#include "harness/run/result_store.h"
#include "harness/run/runtime_identities.h"
#include "harness/run/scratch_folder.h"
#include "harness/run/settings.h"
#include "harness/run/source_digests.h"
#include "harness/run/timing_phase.h"
#include "harness/run/variant.h"
#include "harness/run/worker.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

using reports::Outcome;
using reports::VariantResult;
using Clock = std::chrono::steady_clock;

// Cases whose lines may stand between each other in a journal without being expanded again and again.
constexpr std::size_t kInterleavedCases = 8;

// What a record needs that no worker knows. Shared by the runner and the results, which outlive it.
struct Background {
  explicit Background(Selection chosen) : selection(std::move(chosen)) {}
  Selection selection;
  Rerun rerun;
  SourceDigests digests;
  bool with_sources = false;

  std::string rerun_of(std::size_t position) {
    const spec::Case& test_case = selection.case_of(position);
    rerun.onnx_tests = test_case.onnx_tests;
    return rerun_line(rerun, test_case.path, selection.variant(position)->name);
  }

  VariantResult blank(std::size_t position) {
    const spec::Case& test_case = selection.case_of(position);
    const std::shared_ptr<const spec::Variant> variant = selection.variant(position);
    VariantResult result = blank_result(test_case, *variant);
    result.rerun = rerun_of(position);
    result.reason = "the run ended before its turn came";
    if (with_sources) {
      result.sources = digests.of(test_case, variant->configuration);
    }
    return result;
  }
};

class Runner {
 public:
  Runner(const RunOptions& options, Selection selection)
      : options_(options),
        background_(std::make_shared<Background>(std::move(selection))),
        selection_(background_->selection),
        store_(std::make_shared<ResultStore>(
            selection_.variants.size(), [background = background_](std::size_t i) { return background->blank(i); },
            [background = background_](std::size_t i) { return background->rerun_of(i); })) {
    background_->rerun = {.program = options_.program, .settings = options_.select.settings, .timeout_s = {}};
    if (options_.timeout_s != kDefaultTimeoutS) {
      background_->rerun.timeout_s = options_.timeout_s;
    }
    background_->rerun.memory_limit_mib = options_.memory_limit_bytes >> 20;
    keep_cases_of_workers();  // a worker stays with its case
    for (std::size_t i = 0; i < selection_.variants.size(); ++i) {
      store_->set_group(i, selection_.variants[i].case_index);
      if (selection_.variants[i].selected) {
        reported_.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }

  RunOutcome run() {
    const Clock::time_point start = Clock::now();
    record_.host = host_facts();
    record_.command = options_.command;
    record_.started = utc_now();
    if (options_.select.shard.count > 1) {
      record_.shard = reports::ShardInfo{.index = options_.select.shard.index,
                                         .count = options_.select.shard.count,
                                         .total = selection_.total,
                                         .selection = selection_.digest};
    }
    const Status opened = open_folder();
    if (opened.ok()) {
      scratch_.emplace(store_->journal() != nullptr ? options_.folder : "");
      run_variants();
      time_variants_that_passed();
      record_.interrupted = interrupted();
    } else {
      record_.harness_error = opened.error().message;
    }
    record_.results = ResultStore::list(store_, reported_);
    record_.duration_s = std::chrono::duration<double>(Clock::now() - start).count();
    scratch_.reset();
    report();
    return {.record = std::move(record_),
            .usage_errors = {},
            .hint = selection_.hint,
            .reported = store_->journal() != nullptr};
  }

 private:
  // Nothing is written in a folder before it is known to be this run's alone.
  Status open_folder() {
    if (options_.folder.empty() || selection_.total == 0) {
      return {};
    }
    ASSAY_TRY(prepare_folder(options_.folder));
    ASSAY_ASSIGN(Journal journal, Journal::open(options_.folder));
    remove_abandoned_parts(options_.folder);
    background_->with_sources = true;
    for (const std::uint32_t position : reported_) {
      // Reads the files that the variant is made of, as they are now.
      (void)background_->digests.of(selection_.case_of(position), selection_.variant(position)->configuration);
    }
    const Json maker = this_maker();
    if (options_.resume) {
      ASSAY_TRY(take_over(journal, maker));
    }
    remove_reports(options_.folder);
    ASSAY_TRY(options_.resume ? journal.repair() : journal.clear());
    journal.set_maker(maker);
    store_->keep_in(std::move(journal));
    return {};
  }

  // What the journal has of the same configuration, made of the same files by this build on this CPU, is not done
  // again.
  Status take_over(Journal& journal, const Json& maker) {
    const Json identities = ask_identities(external_runtimes_of_all(), options_.timeout_s, interrupted);
    std::unordered_map<std::size_t, std::uint32_t> by_hash;
    const std::hash<std::string_view> hash;
    for (const std::uint32_t position : reported_) {
      by_hash[hash(selection_.variant(position)->name)] = position;
    }
    std::map<std::uint32_t, std::string> changes;  // of the last line of each variant that is discarded
    const auto adopt = [&](const JournalEntry& entry, const Extent& extent) {
      const VariantResult& result = entry.result;
      const auto found = by_hash.find(hash(result.name));
      if (found == by_hash.end()) {
        return;
      }
      const std::uint32_t position = found->second;
      const VariantResult blank = background_->blank(position);
      if (blank.name != result.name) {
        return;
      }
      std::string change = result.outcome == Outcome::kSkip
                               ? "skipped, which another try may not be"
                               : changed_maker(entry.made_by, maker_of(position, maker, identities));
      if (change.empty() && !options_.timing && result.timing) {
        change = "judged by its times, which --no-timing leaves out";
      }
      if (change.empty()) {
        change = result.configuration == blank.configuration ? changed_source(result.sources, blank.sources)
                                                             : "their configuration is another";
      }
      if (change.empty()) {
        store_->adopt(position, result, extent);
        keep_runtimes(position, entry.made_by);
        changes.erase(position);
      } else {
        changes[position] = change;
      }
    };
    selection_.keep_cases(kInterleavedCases);
    std::vector<Extent> damaged;
    ASSAY_ASSIGN(const std::size_t lost,
                 journal.for_each(adopt, [&](const Extent& extent) { damaged.push_back(extent); }));
    if (lost > 0) {
      options_.say(
          fmt::format("--resume: {} line{} of the journal discarded: damaged, altered or cut off, no whole result",
                      lost, lost == 1 ? "" : "s"));
    }
    ASSAY_TRY(journal.set_aside(damaged));
    keep_cases_of_workers();
    std::map<std::string, std::size_t> discarded;  // by reason
    for (const auto& [position, change] : changes) {
      store_->forget(position);
      ++discarded[change];
    }
    for (const auto& [reason, count] : discarded) {
      options_.say(fmt::format("--resume: {} result{} discarded from the journal, to be made again: {}", count,
                               count == 1 ? "" : "s", reason));
    }
    return {};
  }

  std::set<std::string> runtimes_of(std::uint32_t position) const {
    return external_runtimes(selection_.case_of(position), selection_.variant(position)->configuration);
  }

  std::set<std::string> external_runtimes_of_all() const {
    std::set<std::string> all;
    for (const std::uint32_t position : reported_) {
      all.merge(runtimes_of(position));
    }
    return all;
  }

  // What would make the variant now.
  Json maker_of(std::uint32_t position, const Json& maker, const Json& identities) const {
    Json made_by = maker;
    for (const std::string& name : runtimes_of(position)) {
      made_by[kRuntimesKey][name] = identities.value(name, "unknown");
    }
    return made_by;
  }

  // `from`: an object that has the identities of external runtimes under their key, or not.
  void keep_runtimes(std::size_t position, const Json& from) {
    if (from.is_object() && from.contains(kRuntimesKey)) {
      runtimes_[position] = from.at(kRuntimesKey);
    }
  }

  void run_variants() {
    std::vector<PoolJob> jobs;
    std::vector<std::uint32_t> positions;
    std::vector<float> timeouts;
    // Groups are of one case, so that those of the one before can be forgotten.
    std::unordered_map<std::string, std::uint32_t> groups;
    std::uint32_t group_count = 0;
    for (std::uint32_t i = 0; i < selection_.variants.size(); ++i) {
      if (store_->done(i)) {
        continue;
      }
      const std::uint32_t case_index = selection_.variants[i].case_index;
      if (!jobs.empty() && jobs.back().case_key != case_index) {
        groups.clear();
      }
      const std::shared_ptr<const spec::Variant> variant = selection_.variant(i);
      const auto [group, added] = groups.try_emplace(quantizer_key(variant->configuration), group_count);
      group_count += added ? 1 : 0;
      jobs.push_back({.case_key = case_index, .group_key = group->second});
      positions.push_back(i);
      if (options_.select.durations) {
        timeouts.push_back(static_cast<float>(timeout_of(variant->name)));
      }
    }
    Progress progress(jobs.size(), options_.progress_bar);
    const Handler handler = worker_handler(selection_, options_.timing_settings, scratch_->path());
    PoolOptions pool;
    pool.workers = workers();
    pool.timeout_s = options_.timeout_s;
    if (!timeouts.empty()) {
      pool.timeout_of = [&](std::size_t job) { return static_cast<double>(timeouts[job]); };
    }
    pool.memory_limit_bytes = options_.memory_limit_bytes;
    pool.handler = [&](const Json& request) {
      return request.contains(kMore) ? handler(request)
                                     : handler({{"job", positions[request.at("job").get<std::size_t>()]}});
    };
    pool.on_report = [&](const JobReport& report) {
      const std::uint32_t position = positions[report.job];
      progress.done(take_report(position, report, timeouts.empty() ? options_.timeout_s : timeouts[report.job]));
    };
    pool.interrupted = interrupted;
    note(run_jobs(jobs, pool));
    progress.finish();
  }

  int workers() const { return options_.workers > 0 ? options_.workers : usable_cores(); }
  void keep_cases_of_workers() { selection_.keep_cases(static_cast<std::size_t>(workers()) + 1); }

  double timeout_of(const std::string& name) const {
    return options_.select.durations->timeout_s(name, options_.timeout_factor, options_.timeout_floor_s,
                                                options_.timeout_s);
  }

  // The verdict of a variant, where the search for its cause did not end well.
  static std::optional<VariantResult> verdict_of(const JobReport& report, double timeout_s) {
    const bool ended = report.end == JobEnd::kAnswered && !report.answer.contains("error");
    if (report.first.is_null() || ended) {
      return std::nullopt;
    }
    std::optional<VariantResult> result = reports::parse_result(report.first).result;
    if (result) {
      const std::string how = report.end == JobEnd::kAnswered
                                  ? "ran into " + report.answer.at("error").get<std::string>()
                              : report.end == JobEnd::kCrashed ? "ended: the worker was " + report.text
                                                               : fmt::format("did not end within {:g} s", timeout_s);
      result->warnings.push_back("no cause was found: the search for it " + how);
    }
    return result;
  }

  VariantResult take_report(std::uint32_t position, const JobReport& report, double timeout_s) {
    const VariantResult blank = background_->blank(position);
    VariantResult result = blank;
    keep_runtimes(position, report.first);
    keep_runtimes(position, report.answer);
    if (std::optional<VariantResult> verdict = verdict_of(report, timeout_s)) {
      result = std::move(*verdict);
    } else if (report.end == JobEnd::kAnswered) {
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
      if (report.text == "killed by SIGKILL" && oom_kills() > oom_kills_before_) {
        result.reason += " (out of memory: the kernel has killed processes for want of it meanwhile)";
      } else if (options_.memory_limit_bytes > 0) {
        result.reason += fmt::format(" (which a lack of memory can do: --memory-limit is {} MiB)",
                                     options_.memory_limit_bytes >> 20);
      }
    } else {
      result.outcome = Outcome::kTimeout;
      result.reason = fmt::format("did not end within {:g} s ({})", timeout_s,
                                  timeout_s < options_.timeout_s ? "learned from --durations" : "--timeout");
    }
    result.rerun = blank.rerun;
    result.sources = blank.sources;
    result.duration_s = report.seconds;
    put(position, result);
    return result;
  }

  void time_variants_that_passed() {
    if (!options_.timing || interrupted()) {
      return;
    }
    Progress progress(0, options_.progress_bar);
    TimingPhaseOptions phase;
    phase.timeout_s = options_.timeout_s;
    TimingSettings settings = options_.timing_settings;
    settings.limit_s = settings.limit_s > 0 ? settings.limit_s : options_.timeout_s / 2;
    phase.handler = worker_handler(selection_, settings, scratch_->path());
    phase.interrupted = interrupted;
    phase.say = [&](const std::string& text) { progress.say(text); };
    for (std::uint32_t begin = 0; begin < selection_.variants.size() && !interrupted();) {
      const std::uint32_t case_index = selection_.variants[begin].case_index;
      TimedResults results;
      for (; begin < selection_.variants.size() && selection_.variants[begin].case_index == case_index; ++begin) {
        if (selection_.cases[case_index].timing) {
          results.emplace(begin, store_->load(begin));
        }
      }
      phase.on_timed = [&](std::size_t position) { put(position, results.at(position)); };
      if (!results.empty()) {
        time_results(selection_, results, phase);
      }
    }
    progress.finish();
  }

  void put(std::size_t position, const VariantResult& result) {
    const auto runtimes = runtimes_.find(position);
    note(store_->put(position, result, selection_.variants[position].selected,
                     runtimes == runtimes_.end() ? Json() : runtimes->second));
  }

  // --json first: whether it could be written is part of what the report files say, and they of what it says.
  void report() {
    const auto write_json = [&] {
      if (!options_.json_file.empty()) {
        note(replace_file(options_.json_file,
                          [&](const ByteSink& sink) { reports::render(reports::start_results_json, record_, sink); }));
      }
    };
    write_json();
    if (store_->journal() != nullptr) {
      const bool sound = record_.harness_error.empty();
      note(save_durations());
      if (!write_reports(options_.folder, record_).ok() && sound) {
        write_json();
      }
    }
  }

  // For the next run's --durations. What a variant took that did not end by itself says nothing of the next time.
  Status save_durations() const {
    const Durations known = options_.select.durations ? *options_.select.durations : Durations();
    return replace_file((std::filesystem::path(options_.folder) / kDurationsName).string(), [&](const ByteSink& sink) {
      write_durations(
          known,
          [&](const DurationVisitor& visit) {
            for (const std::uint32_t position : reported_) {
              const reports::ResultFacts facts = store_->facts(position);
              const bool ended = facts.outcome != Outcome::kTimeout && facts.outcome != Outcome::kCrash &&
                                 facts.outcome != Outcome::kNotRun;
              visit(selection_.variant(position)->name, ended ? facts.duration_s : -1);
            }
          },
          sink);
    });
  }

  // Keeps the first thing that went wrong with the harness; the run goes on.
  void note(const Status& status) {
    if (!status.ok() && record_.harness_error.empty()) {
      record_.harness_error = status.error().message;
    }
  }

  const RunOptions& options_;
  std::shared_ptr<Background> background_;
  const Selection& selection_;
  std::shared_ptr<ResultStore> store_;
  const std::int64_t oom_kills_before_ = oom_kills();
  std::map<std::size_t, Json> runtimes_;  // of variants that used external ones: what these said of themselves
  std::vector<std::uint32_t> reported_;   // positions of what was selected
  std::optional<ScratchFolder> scratch_;  // only of a folder that is this run's alone
  reports::RunRecord record_;
};

}  // namespace

RunOutcome run_cases(const RunOptions& options) {
  Selection selection = select_variants(options.select);
  if (!selection.errors.empty()) {
    return {.record = {}, .usage_errors = std::move(selection.errors)};
  }
  for (const std::string& warning : selection.warnings) {
    options.say(warning);
  }
  return Runner(options, std::move(selection)).run();
}

}  // namespace assay::run
