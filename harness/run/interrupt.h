// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP as a flag, so that a run ends with what it has. The first says so on stderr.
#pragma once

namespace assay::run {

// Catches the three while it lives; SIGHUP only where it is not ignored (nohup). A second signal kills as usual, but
// not within a second of the first: a process group's signal often comes twice, and the report is still to be written.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();

}  // namespace assay::run
