// SPDX-License-Identifier: Apache-2.0
// `assay run`: select, run in workers, time, report.
#pragma once

#include <string>
#include <vector>

#include "harness/run/selection.h"
#include "harness/run/timing_process.h"
#include "reports/record.h"

namespace assay::run {

inline constexpr double kDefaultTimeoutS = 120;

struct RunOptions {
  SelectOptions select;
  std::string folder;             // -o; "": no files
  std::string command;            // as typed, for the record
  std::string program = "assay";  // as the user calls it, for the lines that rerun a variant
  int workers = 0;                // 0: one per usable core
  double timeout_s = kDefaultTimeoutS;
  bool resume = false;
  bool timing = true;
  TimingSettings timing_settings;
  bool progress_bar = false;  // stderr is a terminal
};

struct RunOutcome {
  reports::RunRecord record;
  std::vector<std::string> usage_errors;  // of case files and flags: nothing was run, exit 2
};

// Never throws; what goes wrong with the harness itself is in record.harness_error.
RunOutcome run_cases(const RunOptions& options);

}  // namespace assay::run
