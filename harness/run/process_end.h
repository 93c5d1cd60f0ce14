// SPDX-License-Identifier: Apache-2.0
// Ending a child process.
#pragma once

#include <sys/types.h>

#include <string>

namespace assay::run {

// Kills the child with SIGKILL, reaps it, and says how it ended: "killed by SIGSEGV", "exited with status 3". One that
// has died by itself is a zombie until reaped: the signal does not change how it ended.
std::string kill_and_reap(pid_t child);

// Whether the child has died and is only to be reaped.
bool has_ended(pid_t child);

// The same words for a wait status.
std::string end_text(int status);

}  // namespace assay::run
