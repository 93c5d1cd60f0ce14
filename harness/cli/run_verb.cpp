// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "engine/base/cpu_features.h"
#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/print_run.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/interrupt.h"
#include "harness/run/rerun.h"
#include "harness/run/runner.h"
#include "reports/console.h"
#include "reports/exit_code.h"
#include "reports/results_json.h"

namespace assay::cli {
namespace {

struct RunFlags {
  SelectFlags select;
  OutputFlags output;
  run::RunOptions options;
  std::size_t memory_limit_mib = 0;
  bool no_timing = false;
  bool verbose = false;
};

// The command as typed, as far as it can be had from the flags.
std::string command_text(const RunFlags& flags) {
  std::string text = "assay run";
  const auto add = [&](const std::string& flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      text += flag + " " + run::shell_quoted(value);
    }
  };
  add("", flags.select.paths);
  if (!flags.select.onnx_tests.empty()) {
    text += " --onnx-tests " + run::shell_quoted(flags.select.onnx_tests);
  }
  add(" --set", flags.select.settings);
  add(" --filter", flags.select.filters);
  add(" --tag", flags.select.tags);
  if (!flags.select.tier.empty()) {
    text += " --tier " + flags.select.tier;
  }
  if (!flags.select.shard.empty()) {
    text += " --shard " + run::shell_quoted(flags.select.shard);
  }
  if (!flags.select.durations.empty()) {
    text += " --durations " + run::shell_quoted(flags.select.durations);
  }
  return text;
}

int run_action(const RunFlags& flags) {
  std::vector<std::string> read = flags.select.paths;
  read.push_back(flags.select.durations);
  if (const Status apart = check_json_apart(flags.output.json_file(), read); !apart.ok()) {
    return complain(apart.error());
  }
  if (const Status status = host_isa_override_error(); !status.ok()) {
    return complain(status.error());
  }
  Result<run::SelectOptions> select = flags.select.options();
  if (!select.ok()) {
    return complain(select.error());
  }
  run::RunOptions options = flags.options;
  options.select = std::move(select).value();
  options.command = command_text(flags);
  options.memory_limit_bytes = flags.memory_limit_mib << 20;
  options.program = program_as_called();
  options.timing = !flags.no_timing && flags.select.onnx_tests.empty();  // they are about answers
  options.progress_bar = stderr_is_terminal();
  options.json_file = flags.output.json_file();
  options.say = say;
  const run::InterruptGuard guard;  // until all is written
  run::RunOutcome outcome = run::run_cases(options);
  if (!outcome.usage_errors.empty()) {
    for (const std::string& error : outcome.usage_errors) {
      say(error);
    }
    return reports::kExitUsage;
  }
  reports::RunRecord& record = outcome.record;
  if (!record.harness_error.empty()) {
    say("the harness failed: " + record.harness_error);
  } else if (outcome.reported) {
    say("reports are in " + options.folder);
  }
  if (record.results.empty() && record.harness_error.empty() && !record.interrupted) {
    say(record.shard && record.shard->total > 0 ? "this shard has none of the variants"
                                                : nothing_selected(outcome.hint));
  }
  return print_run(record, outcome.reported ? options.folder : "", [&](const reports::Sink& sink) {
    if (flags.output.json_to_stdout()) {
      reports::render(reports::start_results_json, record, sink);
    } else {
      reports::render_console(record, {.color = use_color(flags.output.color), .verbose = flags.verbose}, sink);
    }
  });
}

}  // namespace

void define_run(CLI::App& command, Action& action) {
  auto flags = std::make_shared<RunFlags>();
  run::RunOptions& options = flags->options;
  options.folder = "assay-out";
  flags->select.define(command);
  command.add_option("-o,--output", options.folder, "Folder for the report files; '' writes none")
      ->capture_default_str();
  flags->output.define(command);
  command.add_option("-j,--jobs", options.workers, "Worker processes; default: one per core")
      ->check(CLI::Range(1, 1024));
  command.add_option("--timeout", options.timeout_s, "Seconds after which a variant is killed")
      ->capture_default_str()
      ->check(number_between(0.001, 1e6));
  command
      .add_option("--timeout-factor", options.timeout_factor,
                  "With --durations: a variant's own time-out is this many times the median it took")
      ->capture_default_str()
      ->check(number_between(1, 1e6));
  command.add_option("--timeout-floor", options.timeout_floor_s, "Seconds that such a time-out is not below")
      ->capture_default_str()
      ->check(number_between(0.001, 1e6));
  command
      .add_option("--memory-limit", flags->memory_limit_mib,
                  "MiB of address space of each worker; what a variant asks for beyond is refused")
      ->check(CLI::Range(1, 1 << 30));
  command.add_flag("--resume", options.resume, "Redo only what results.jsonl in the output folder lacks");
  command.add_flag("--no-timing", flags->no_timing, "Leave timing and its checks out");
  command.add_option("--repetitions", options.timing_settings.repetitions, "Timing repetitions")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  command.add_option("--min-time", options.timing_settings.min_time_s, "Seconds of one timing repetition")
      ->capture_default_str()
      ->check(number_between(1e-6, 1e3));
  command.add_flag("-v,--verbose", flags->verbose, "A line per variant, and a table for every case");
  command.callback([flags, &action] { action = [flags] { return run_action(*flags); }; });
}

}  // namespace assay::cli
