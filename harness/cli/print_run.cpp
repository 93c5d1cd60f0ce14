// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/print_run.h"

#include "harness/cli/terminal.h"
#include "harness/run/output_folder.h"
#include "reports/exit_code.h"

namespace assay::cli {

int print_run(reports::RunRecord& run, const std::string& folder, const std::function<std::string()>& render) {
  const Status printed = write_stdout(render());
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

}  // namespace assay::cli
