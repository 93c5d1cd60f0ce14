// SPDX-License-Identifier: Apache-2.0
// What a model takes from its file to its runs, for `assay infer --times`.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::cli {

class ModelTimes {
 public:
  ModelTimes();

  // Each counts from the call before it; in this order.
  void loaded() { load_ms_ = lap_ms(); }
  void planned() { plan_ms_ = lap_ms(); }
  void ran_first();
  // Calls `run` for `seconds`, and at least kLeastRuns times.
  Status repeat(const std::function<Status()>& run, double seconds);

  // {"load_ms", "plan_ms", "first_run_ms", "start_cpu_ms": processor time of these three, all threads,
  //  "runs_ms": [...], "runs_cpu_ms": [...], "resident_kib" before the model was loaded, "peak_resident_kib" at the
  //  end}
  std::string json() const;

  static constexpr int kLeastRuns = 3;

 private:
  using Clock = std::chrono::steady_clock;
  double lap_ms();

  Clock::time_point lap_;
  long resident_kib_ = 0;
  double start_cpu_ms_ = 0;  // the clock's state at first, then what passed
  double load_ms_ = 0;
  double plan_ms_ = 0;
  double first_run_ms_ = 0;
  std::vector<double> runs_ms_;
  std::vector<double> runs_cpu_ms_;
};

}  // namespace assay::cli
