// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/print_run.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/filter.h"
#include "harness/run/output_folder.h"

namespace assay::cli {
namespace {

struct ReportFlags {
  std::string path;
  std::vector<std::string> filters;
  RenderFlags render;
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
  run.results = reports::ResultList(std::move(kept));
  if (run.results.empty() && !names.empty()) {
    run.shard.reset();  // a shard may have no variant of its own; filters that leave none are a mistake
  }
}

int report_action(const ReportFlags& flags) {
  if (const Status apart = check_json_apart(flags.render.output.json_file(), {flags.path}); !apart.ok()) {
    return complain(apart.error());
  }
  std::size_t lost = 0;
  Result<reports::RunRecord> read = run::read_run(flags.path, &lost);
  if (!read.ok()) {
    return complain(read.error());
  }
  reports::RunRecord run = std::move(read).value();
  if (run.interrupted && run.command.empty()) {
    say(fmt::format(
        "{}: its run was killed or goes on; these are the {} results of its journal (--resume makes the rest)",
        flags.path, run.results.size()));
  }
  if (lost > 0) {
    say(fmt::format("{}: {} line{} of the journal left out: damaged, altered or cut off, no whole result", flags.path,
                    lost, lost == 1 ? "" : "s"));
  }
  keep_only(run, flags.filters);
  return report_run(run, flags.render);
}

}  // namespace

void define_report(CLI::App& command, Action& action) {
  auto flags = std::make_shared<ReportFlags>();
  command.add_option("RUN", flags->path, "Output folder of a run (results.json, else its journal), or a results.json")
      ->required();
  command.add_option("--filter", flags->filters, "Only these variants, as for run")->allow_extra_args(false);
  flags->render.define(command);
  command.callback([flags, &action] { action = [flags] { return report_action(*flags); }; });
}

}  // namespace assay::cli
