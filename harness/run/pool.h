// SPDX-License-Identifier: Apache-2.0
// Runs jobs in worker processes: a crash or hang costs its own job only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/run/process.h"

namespace assay::run {

struct PoolJob {
  std::string case_key;   // jobs of one case go to one worker while they last, since it has the case's model loaded
  std::string group_key;  // jobs of one group (same case, same quantizer settings) likewise, before others of the case
};

enum class JobEnd { kAnswered, kCrashed, kTimedOut };

struct JobReport {
  std::size_t job = 0;
  JobEnd end = JobEnd::kAnswered;
  Json answer;       // kAnswered
  std::string text;  // kCrashed: how the worker ended
  double seconds = 0;
};

struct PoolOptions {
  int workers = 1;
  double timeout_s = 60;
  Handler handler;  // gets {"job": index}
  std::function<void(const JobReport&)> on_report;
  // Asked between events, at least four times a second; true ends the run early.
  std::function<bool()> interrupted;
};

// Returns once every job has been reported, or the run was interrupted. Errors: no worker could be started.
Status run_jobs(const std::vector<PoolJob>& jobs, const PoolOptions& options);

// Which job a free worker takes next. Exposed for its test.
class JobQueue {
 public:
  explicit JobQueue(const std::vector<PoolJob>& jobs);
  bool empty() const { return left_ == 0; }
  // Of the worker's group, else an untouched group of its case, else an untouched group of another case, else the
  // longest group that another worker is at. `last`: the worker's previous job, or nothing.
  std::optional<std::size_t> take(std::optional<std::size_t> last);

 private:
  struct Group {
    std::string case_key;
    std::vector<std::size_t> jobs;  // in order; taken from `next` on
    std::size_t next = 0;
    bool touched = false;
    std::size_t left() const { return jobs.size() - next; }
  };
  std::size_t take_from(Group& group);
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;  // by job
  std::size_t left_ = 0;
};

}  // namespace assay::run
