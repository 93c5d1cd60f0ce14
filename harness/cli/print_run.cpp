// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print_run.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/output_file.h"
#include "harness/cli/terminal.h"
#include "harness/run/journal.h"
#include "harness/run/output_folder.h"
#include "reports/console.h"
#include "reports/exit_code.h"
#include "reports/files.h"
#include "reports/results_json.h"

namespace assay::cli {

int print_run(reports::RunRecord& run, const std::string& folder,
              const std::function<void(const reports::Sink&)>& render) {
  const Status printed = write_stdout(render);
  if (!printed.ok()) {
    say(printed.error().message);
    if (run.harness_error.empty()) {
      run.harness_error = printed.error().message;
    }
    if (!folder.empty()) {
      (void)run::write_reports(folder, run);
    }
  }
  return reports::exit_code(run);
}

void RenderFlags::define(CLI::App& command) {
  std::vector<std::string> names;
  for (const reports::ReportFormat& row : reports::report_formats()) {
    names.emplace_back(row.name);
  }
  command.add_option("-o,--output", folder, "Folder to write the report files to");
  command.add_option("--format", format, "What to print in place of the table")->check(CLI::IsMember(names));
  output.define(command);
  command.add_flag("-v,--verbose", verbose, "A line per variant, and a table for every case");
}

int report_run(reports::RunRecord& run, const RenderFlags& flags) {
  const OutputFlags& output = flags.output;
  if (run.results.empty()) {
    say("nothing selected");
  }
  const auto write_json = [&] {
    const std::string file = output.json_file();
    return file.empty() ? Status() : replace_file(file, [&](const ByteSink& sink) {
      reports::render(reports::start_results_json, run, sink);
    });
  };
  const auto fail = [&](const Status& status) {
    say(status.error().message);
    run.harness_error = status.error().message;
  };
  if (const Status json = write_json(); !json.ok()) {
    fail(json);
  }
  const std::string target = run.results.empty() ? "" : flags.folder;
  if (!target.empty()) {
    Status status = run::check_not_running(target);
    if (status.ok()) {
      // Whatever happens from here on, the verdict of an earlier report is not that of this one.
      std::error_code absent;
      std::filesystem::remove(target + "/verdict.json", absent);
      status = run::prepare_folder(target);
    }
    if (status.ok()) {
      status = run::write_reports(target, run);
    }
    if (status.ok()) {
      say("reports are in " + target);
    } else {
      fail(status);
      (void)write_json();
    }
  }
  return print_run(run, target, [&](const reports::Sink& sink) {
    const auto row = std::ranges::find(reports::report_formats(), flags.format, &reports::ReportFormat::name);
    if (output.json_to_stdout()) {
      reports::render(reports::start_results_json, run, sink);
    } else if (row != reports::report_formats().end()) {
      reports::render(row->start, run, sink);
    } else {
      reports::render_console(run, {.color = use_color(output.color), .verbose = flags.verbose}, sink);
    }
  });
}

}  // namespace assay::cli
