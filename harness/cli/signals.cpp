// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "engine/base/unfinished_files.h"
#include "reports/exit_code.h"

namespace assay::cli {
namespace {

void on_signal(int) {
  constexpr std::string_view kText = "assay: interrupted: files that were not complete are removed\n";
  remove_unfinished_files();
  if (::write(STDERR_FILENO, kText.data(), kText.size()) < 0) {
    // nobody reads it
  }
  ::_exit(reports::kExitInterrupted);
}

}  // namespace

void end_cleanly_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_DFL) {
      struct sigaction action {};
      action.sa_handler = on_signal;
      ::sigaction(signal, &action, nullptr);
    }
  }
}

}  // namespace assay::cli
