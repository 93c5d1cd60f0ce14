// SPDX-License-Identifier: Apache-2.0
// What a run's results mean for the exit code, and verdict.json, which says the same to make and pipes.
#pragma once

#include <string>

#include "reports/renderer.h"

namespace assay::reports {

enum ExitCode : int {
  kExitPass = 0,
  kExitFailed = 1,           // a check failed; also xpass, invalid, crash, timeout, not-run
  kExitUsage = 2,            // command line or case file
  kExitNoVerdict = 3,        // too noisy, no baseline, emulated; or everything was skipped
  kExitHarness = 4,          // the harness or its environment failed
  kExitNothingSelected = 5,  // no variant at all
  kExitInterrupted = 130,
};

// The first that applies: 130 interrupted, 4 harness_error, 5 no results (0 for a shard that got none of the variants
// there are), 1 any failure, 3 anything inconclusive or nothing but skips, 0.
ExitCode exit_code(const RunRecord& run);

// "pass", "fail", "interrupted" ...
const char* verdict_text(ExitCode code);

// {"exit_code", "counts": {outcome: n}}.
std::unique_ptr<Renderer> start_verdict_json(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
