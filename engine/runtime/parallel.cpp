// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>

namespace assay::runtime {
namespace {

// Lets the library start as many threads as the largest request, which may be more than there are cores.
void allow(int threads) {
  static std::mutex mutex;
  static std::unique_ptr<tbb::global_control> limit;
  static int allowed = tbb::info::default_concurrency();
  const std::scoped_lock lock(mutex);
  if (threads > allowed) {
    limit.reset();  // of several limits the lowest holds
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(threads));
    allowed = threads;
  }
}

// The calling thread's arena; made anew where another number of threads is asked for.
tbb::task_arena& arena_of(int threads) {
  thread_local std::unique_ptr<tbb::task_arena> arena;
  if (arena == nullptr || arena->max_concurrency() != threads) {
    allow(threads);
    arena = std::make_unique<tbb::task_arena>(threads);
  }
  return *arena;
}

}  // namespace

void share_tasks(Index count, int threads, const TaskBody& body) {
  arena_of(threads).execute([&] {
    tbb::parallel_for(tbb::blocked_range<Index>(0, count), [&](const tbb::blocked_range<Index>& tasks) {
      const int slot = tbb::this_task_arena::current_thread_index();
      for (Index task = tasks.begin(); task < tasks.end(); ++task) {
        body.call(body.body, task, slot);
      }
    });
  });
}

}  // namespace assay::runtime
