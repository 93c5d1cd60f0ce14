// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/model_times.h"

#include <ctime>
#include <nlohmann/json.hpp>

#include "harness/measure/process_memory.h"

namespace assay::cli {
namespace {

double process_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

ModelTimes::ModelTimes() : lap_(Clock::now()), resident_kib_(measure::resident_kib()), start_cpu_ms_(process_ms()) {}

void ModelTimes::ran_first() {
  first_run_ms_ = lap_ms();
  start_cpu_ms_ = process_ms() - start_cpu_ms_;
}

double ModelTimes::lap_ms() {
  const Clock::time_point now = Clock::now();
  const double took = std::chrono::duration<double, std::milli>(now - lap_).count();
  lap_ = now;
  return took;
}

Status ModelTimes::repeat(const std::function<Status()>& run, double seconds) {
  double total_ms = 0;
  while (total_ms < seconds * 1e3 || runs_ms_.size() < kLeastRuns) {
    lap_ms();
    const double cpu_start = process_ms();
    ASSAY_TRY(run());
    runs_cpu_ms_.push_back(process_ms() - cpu_start);
    runs_ms_.push_back(lap_ms());
    total_ms += runs_ms_.back();
  }
  return {};
}

std::string ModelTimes::json() const {
  const nlohmann::ordered_json json = {
      {"load_ms", load_ms_},           {"plan_ms", plan_ms_},
      {"first_run_ms", first_run_ms_}, {"start_cpu_ms", start_cpu_ms_},
      {"runs_ms", runs_ms_},           {"runs_cpu_ms", runs_cpu_ms_},
      {"resident_kib", resident_kib_}, {"peak_resident_kib", measure::peak_resident_kib()}};
  return json.dump(1) + "\n";
}

}  // namespace assay::cli
