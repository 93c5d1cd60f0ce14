// SPDX-License-Identifier: Apache-2.0
#include "engine/api/sample_workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#include "engine/runtime/guard.h"

namespace assay::api {
namespace {

constexpr Index kNone = std::numeric_limits<Index>::max();

// Runs `body` in `workers` threads, the caller's among them. Where the system gives no more threads, fewer do the work.
void in_threads(int workers, const std::function<void(int worker)>& body) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(workers));
  try {
    for (int worker = 1; worker < workers; ++worker) {
      threads.emplace_back([&body, worker] { body(worker); });
    }
  } catch (const std::system_error&) {
    (void)threads;  // the work is shared out by whoever is there
  }
  body(0);
}

// What the workers share; each function is called by all of them.
class SampleQueue {
 public:
  SampleQueue(const CalibrationSource& source, const SampleWork& work) : source_(source), work_(work) {}

  void serve(int worker) {
    Index sample = 0;
    NamedTensors inputs;
    while (next(sample, inputs)) {
      const Status status = runtime::guarded([&] { return work_.run(worker, sample, inputs); });
      inputs.clear();
      finish(worker, sample, status);
    }
  }

  Result<Index> result() const {
    if (failed_ != kNone) {
      return error_;
    }
    return next_;
  }

 private:
  bool next(Index& sample, NamedTensors& inputs) {
    const std::lock_guard lock(mutex_);
    if (ended_) {
      return false;
    }
    Result<bool> found = runtime::guarded([&] { return source_(next_, inputs); });
    if (!found.ok()) {
      fail(next_, found.error());
      return false;
    }
    if (!found.value()) {
      ended_ = true;
      return false;
    }
    sample = next_++;
    return true;
  }

  // Waits for its turn, which comes: samples are handed out in order, and each that was handed out comes here.
  void finish(int worker, Index sample, const Status& status) {
    std::unique_lock lock(mutex_);
    if (!status.ok()) {
      fail(sample,
           {status.error().kind, "calibration sample " + std::to_string(sample) + ": " + status.error().message});
    }
    turn_.wait(lock, [&] { return finished_ == sample; });
    if (work_.in_order && failed_ == kNone) {
      const Status taken = runtime::guarded([&]() -> Status {
        work_.in_order(worker, sample);
        return {};
      });
      if (!taken.ok()) {
        fail(sample, taken.error());
      }
    }
    ++finished_;
    turn_.notify_all();
  }

  void fail(Index sample, const Error& error) {
    if (sample < failed_) {
      failed_ = sample;
      error_ = error;
    }
    ended_ = true;
  }

  const CalibrationSource& source_;
  const SampleWork& work_;
  std::mutex mutex_;
  std::condition_variable turn_;
  bool ended_ = false;
  Index next_ = 0;
  Index finished_ = 0;
  Index failed_ = kNone;
  Error error_;
};

}  // namespace

Result<Index> run_samples(const CalibrationSource& source, int workers, const SampleWork& work) {
  SampleQueue queue(source, work);
  in_threads(workers, [&](int worker) { queue.serve(worker); });
  return queue.result();
}

Status run_tasks(std::size_t count, int workers, const std::function<void(std::size_t task)>& body) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Status failure;
  in_threads(workers, [&](int worker) {
    (void)worker;
    for (std::size_t task = next++; task < count; task = next++) {
      const Status status = runtime::guarded([&]() -> Status {
        body(task);
        return {};
      });
      if (!status.ok()) {
        const std::lock_guard lock(mutex);
        failure = status;
      }
    }
  });
  return failure;
}

}  // namespace assay::api
