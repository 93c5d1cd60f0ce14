// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>

#include "harness/cli/command_line.h"
#include "harness/cli/signals.h"
#include "harness/cli/terminal.h"
#include "reports/exit_code.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as a failed write
  std::signal(SIGXFSZ, SIG_IGN);  // so does a file that becomes larger than the limit of the shell
  assay::cli::end_cleanly_on_signals();
  assay::cli::reserve_standard_streams();
  try {
    return assay::cli::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    return assay::cli::complain(error.what(), assay::reports::kExitHarness);
  }
}
