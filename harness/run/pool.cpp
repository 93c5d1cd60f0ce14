// SPDX-License-Identifier: Apache-2.0
#include "harness/run/pool.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "harness/run/job_queue.h"

namespace assay::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kKilledFromOutside = "killed by SIGKILL";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Worker {
  std::optional<Process> process;
  std::optional<std::size_t> job;   // in hand
  std::optional<std::size_t> last;  // the previous one
  Clock::time_point started;
  double timeout_s = 0;
  Json first;  // of the job in hand; what comes after it has the time of a job again
  double first_seconds = 0;
};

class Pool {
 public:
  Pool(const std::vector<PoolJob>& jobs, const PoolOptions& options) : queue_(jobs), options_(options) {
    workers_.resize(std::min<std::size_t>(static_cast<std::size_t>(std::max(1, options.workers)), jobs.size()));
  }

  Status run() {
    while (!options_.interrupted()) {
      ASSAY_TRY(hand_out());
      if (std::ranges::none_of(workers_, [](const Worker& worker) { return worker.job.has_value(); })) {
        return {};
      }
      wait();
      for (Worker& worker : workers_) {
        look_at(worker);
      }
    }
    return {};
  }

 private:
  Status hand_out() {
    for (Worker& worker : workers_) {
      while (!worker.job && !queue_.empty()) {
        if (worker.process && !worker.process->pump()) {
          worker.process.reset();  // it died while idle: no job of its own to blame
        }
        if (!worker.process) {
          ASSAY_ASSIGN(worker.process, Process::start(options_.handler, options_.memory_limit_bytes));
        }
        worker.job = queue_.take(worker.last);
        worker.started = Clock::now();
        worker.first = nullptr;
        worker.first_seconds = 0;
        worker.timeout_s = options_.timeout_of ? options_.timeout_of(*worker.job) : options_.timeout_s;
        if (!worker.process->send({{"job", *worker.job}})) {
          lose(worker, JobEnd::kCrashed);
        }
      }
    }
    return {};
  }

  // Until an answer, a death or the next deadline; at most a quarter of a second.
  void wait() {
    std::vector<pollfd> polled;
    double patience_s = 0.25;
    for (const Worker& worker : workers_) {
      if (worker.job) {
        polled.push_back({.fd = worker.process->descriptor(), .events = POLLIN, .revents = 0});
        patience_s = std::min(patience_s, worker.timeout_s - seconds_since(worker.started));
      }
    }
    ::poll(polled.data(), polled.size(), static_cast<int>(std::max(0.0, patience_s) * 1000) + 1);
  }

  void look_at(Worker& worker) {
    if (!worker.job) {
      return;
    }
    const bool alive = worker.process->pump();
    std::optional<Json> answer = worker.process->next_answer();
    if (answer && answer->contains(kMore)) {
      worker.first = std::move(answer->at(kMore));
      worker.first_seconds = seconds_since(worker.started);
      worker.started = Clock::now();
      answer = worker.process->next_answer();
    }
    if (answer) {
      report(worker, {.job = *worker.job, .end = JobEnd::kAnswered, .answer = std::move(*answer)});
    } else if (!alive) {
      lose(worker, JobEnd::kCrashed);
    } else if (seconds_since(worker.started) > worker.timeout_s) {
      lose(worker, JobEnd::kTimedOut);
    }
  }

  // The worker is gone, or is made to go; the next job gets a new one. One that was killed by SIGKILL may have been
  // killed by somebody else, or for want of memory: its job has a second chance.
  void lose(Worker& worker, JobEnd end) {
    const std::string text = worker.process->stop();
    worker.process.reset();
    if (end == JobEnd::kCrashed && text == kKilledFromOutside && worker.first.is_null() &&
        retried_.insert(*worker.job).second) {
      Result<Process> again = Process::start(options_.handler, options_.memory_limit_bytes);
      if (again.ok() && again.value().send({{"job", *worker.job}})) {
        worker.process = std::move(again).value();
        worker.started = Clock::now();
        return;
      }
    }
    report(worker, {.job = *worker.job, .end = end, .text = text});
  }

  void report(Worker& worker, JobReport report) {
    report.seconds = worker.first_seconds + seconds_since(worker.started);
    report.first = std::move(worker.first);
    worker.last = worker.job;
    worker.job.reset();
    options_.on_report(report);
  }

  std::set<std::size_t> retried_;
  JobQueue queue_;
  const PoolOptions& options_;
  std::vector<Worker> workers_;
};

}  // namespace

Status run_jobs(const std::vector<PoolJob>& jobs, const PoolOptions& options) {
  if (jobs.empty()) {
    return {};
  }
  return Pool(jobs, options).run();
}

}  // namespace assay::run
