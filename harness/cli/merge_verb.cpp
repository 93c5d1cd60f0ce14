// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "engine/base/output_file.h"
#include "harness/cli/file_targets.h"
#include "harness/cli/flags.h"
#include "harness/cli/print_run.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"
#include "harness/run/durations.h"
#include "harness/run/merge.h"
#include "reports/exit_code.h"

namespace assay::cli {
namespace {

struct MergeFlags {
  std::vector<std::string> folders;
  RenderFlags render;
};

int merge_action(const MergeFlags& flags) {
  if (const Status apart = check_json_apart(flags.render.output.json_file(), flags.folders); !apart.ok()) {
    return complain(apart.error());
  }
  for (const std::string& folder : flags.folders) {
    if (!flags.render.folder.empty() && canonical(folder) == canonical(flags.render.folder)) {
      return complain("-o " + flags.render.folder + " is one of the folders to merge", reports::kExitUsage);
    }
  }
  Result<reports::RunRecord> merged = run::merge_runs(flags.folders);
  if (!merged.ok()) {
    return complain(merged.error());
  }
  if (const std::string builds = run::different_builds(merged.value()); !builds.empty()) {
    say("the shards were made by different builds: " + builds);
  }
  const Result<std::string> durations = run::joined_durations(flags.folders);
  if (!durations.ok()) {
    return complain(durations.error());
  }
  const int code = report_run(merged.value(), flags.render);
  if (flags.render.folder.empty() || merged.value().results.empty()) {
    return code;
  }
  const Status written = replace_file(flags.render.folder + "/" + run::kDurationsName, durations.value());
  return written.ok() ? code : complain(written.error().message, reports::kExitHarness);
}

}  // namespace

void define_merge(CLI::App& command, Action& action) {
  auto flags = std::make_shared<MergeFlags>();
  command.add_option("DIR", flags->folders, "Output folders of every shard of a run")->required();
  flags->render.define(command);
  command.callback([flags, &action] { action = [flags] { return merge_action(*flags); }; });
}

}  // namespace assay::cli
