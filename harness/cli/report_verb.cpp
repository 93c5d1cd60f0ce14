// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "engine/base/output_file.h"
#include "harness/cli/flags.h"
#include "harness/cli/print_run.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/filter.h"
#include "harness/run/output_folder.h"
#include "reports/console.h"
#include "reports/exit_code.h"
#include "reports/results_json.h"

namespace assay::cli {
namespace {

struct ReportFlags {
  std::string path;
  std::string folder;
  std::vector<std::string> filters;
  OutputFlags output;
  bool verbose = false;
};

void keep_only(reports::RunRecord& run, const std::vector<std::string>& filters) {
  std::vector<std::string> names;
  for (const reports::VariantResult& result : run.results) {
    names.push_back(result.name);
  }
  const std::vector<bool> selected = run::select_names(names, filters);
  std::vector<reports::VariantResult> kept;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (selected[i]) {
      kept.push_back(std::move(run.results[i]));
    }
  }
  run.results = std::move(kept);
}

int report_action(const ReportFlags& flags) {
  Result<reports::RunRecord> read = run::read_run(flags.path);
  if (!read.ok()) {
    return complain(read.error());
  }
  reports::RunRecord run = std::move(read).value();
  keep_only(run, flags.filters);
  if (run.results.empty()) {
    say("nothing selected");
  }
  const auto write_json = [&] {
    const std::string file = flags.output.json_file();
    return file.empty() ? Status() : replace_file(file, reports::render_results_json(run));
  };
  const Status json = write_json();
  if (!json.ok()) {
    say(json.error().message);
    run.harness_error = json.error().message;
  }
  // A selection of nothing leaves the folder alone.
  const std::string folder = run.results.empty() ? "" : flags.folder;
  if (!folder.empty()) {
    Status status = run::prepare_folder(folder);
    if (status.ok()) {
      status = run::write_reports(folder, run);
    }
    if (!status.ok()) {
      say(status.error().message);
      run.harness_error = status.error().message;
      (void)write_json();
    } else {
      say("reports are in " + folder);
    }
  }
  return print_run(run, folder, [&] {
    return flags.output.json_to_stdout()
               ? reports::render_results_json(run)
               : reports::render_console(run, {.color = use_color(flags.output.color), .verbose = flags.verbose});
  });
}

}  // namespace

void define_report(CLI::App& command, Action& action) {
  auto flags = std::make_shared<ReportFlags>();
  command.add_option("RUN", flags->path, "Output folder of a run (results.json, else its journal), or a results.json")
      ->required();
  command.add_option("-o,--output", flags->folder, "Folder to write the report files to");
  command.add_option("--filter", flags->filters, "Only these variants, as for run")->allow_extra_args(false);
  flags->output.define(command);
  command.add_flag("-v,--verbose", flags->verbose, "A line per variant, and a table for every case");
  command.callback([flags, &action] { action = [flags] { return report_action(*flags); }; });
}

}  // namespace assay::cli
