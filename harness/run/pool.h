// SPDX-License-Identifier: Apache-2.0
// Runs jobs in worker processes: a crash or hang costs its own job only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/run/process.h"

namespace assay::run {

struct PoolJob {
  std::uint32_t case_key =
      0;  // jobs of one case go to one worker while they last, since it has the case's model loaded
  std::uint32_t group_key =
      0;  // jobs of one group (same case, same quantizer settings) likewise, before others of the case
};

enum class JobEnd { kAnswered, kCrashed, kTimedOut };

struct JobReport {
  std::size_t job = 0;
  JobEnd end = JobEnd::kAnswered;
  Json answer = {};       // kAnswered
  Json first = {};        // the first of two answers, if there was one: it stands also where the second did not come
  std::string text = {};  // kCrashed: how the worker ended
  double seconds = 0;
};

struct PoolOptions {
  int workers = 1;
  double timeout_s = 60;
  std::function<double(std::size_t job)> timeout_of;  // if given, in place of timeout_s
  std::size_t memory_limit_bytes = 0;                 // of a worker's address space; 0: none
  Handler handler;                                    // gets {"job": index}
  std::function<void(const JobReport&)> on_report;
  // Asked between events, at least four times a second; true ends the run early.
  std::function<bool()> interrupted;
};

// Returns once every job has been reported, or the run was interrupted. Errors: no worker could be started.
Status run_jobs(const std::vector<PoolJob>& jobs, const PoolOptions& options);

}  // namespace assay::run
