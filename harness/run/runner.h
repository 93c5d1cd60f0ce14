// SPDX-License-Identifier: Apache-2.0
// `assay run`: select, run in workers, time, report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/run/selection.h"
#include "harness/run/timing_process.h"
#include "reports/record.h"

namespace assay::run {

inline constexpr double kDefaultTimeoutS = 120;
inline constexpr double kDefaultTimeoutFactor = 10;
inline constexpr double kDefaultTimeoutFloorS = 10;

struct RunOptions {
  SelectOptions select;
  std::string folder;             // -o; "": no files
  std::string command;            // as typed, for the record
  std::string program = "assay";  // as the user calls it, for the lines that rerun a variant
  int workers = 0;                // 0: one per usable core
  double timeout_s = kDefaultTimeoutS;
  // With durations of earlier runs (select.durations), a variant's own time-out: this many times their median, at least
  // the floor, at most timeout_s.
  double timeout_factor = kDefaultTimeoutFactor;
  double timeout_floor_s = kDefaultTimeoutFloorS;
  std::size_t memory_limit_bytes = 0;  // of each worker's address space; 0: none
  bool resume = false;
  bool timing = true;
  TimingSettings timing_settings;
  bool progress_bar = false;  // stderr is a terminal
  std::string json_file;      // --json; "": none
  // Takes what is worth saying before the run ends.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

struct RunOutcome {
  reports::RunRecord record;
  std::vector<std::string> usage_errors;  // of case files and flags: nothing was run, exit 2
  std::string hint = {};                  // of a selection of nothing: why, perhaps
  bool reported = false;                  // the folder was this run's, and the report files are in it
};

// Ends early where interrupted() (interrupt.h; the caller has the guard). Never throws; what goes wrong with the
// harness itself is in record.harness_error. A selection of nothing leaves the folder alone.
RunOutcome run_cases(const RunOptions& options);

}  // namespace assay::run
