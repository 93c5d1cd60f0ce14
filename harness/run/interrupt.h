// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a flag, so that a run ends with what it has.
#pragma once

namespace assay::run {

// Catches SIGINT and SIGTERM while it lives. A second signal kills as usual.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

bool interrupted();

}  // namespace assay::run
