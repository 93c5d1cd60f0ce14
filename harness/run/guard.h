// SPDX-License-Identifier: Apache-2.0
// Two processes between the coordinator and a worker. They outlive whatever a variant does, and see to it that nothing
// a variant has started outlives the variant: not even what left its process group or its session. There are two so
// that whoever kills one of them and the coordinator at the same moment leaves one that cleans up.
#pragma once

#include <sys/types.h>

#include <functional>

namespace assay::run {

// How the worker under a guard ended: a wait status as of waitpid.
struct WorkerEnd {
  bool known = false;  // false: the guards themselves were killed before they could say
  int status = 0;
};

// Forks a guard, which forks the second guard, which forks the worker: a process that calls `work` and must not return
// from it. They report the worker's end through `report`, a pipe of their own. -1 with errno where the first cannot be
// forked.
// The worker and all it has started are killed when the worker ends, when stop_guard is called, and when the
// coordinator or a guard dies in whatever way. `in_guard` is called in each guard: it closes what only the worker uses.
pid_t start_guard(const std::function<void()>& work, const std::function<void()>& in_guard, int report);

// Ends the worker with all its descendants, reaps the guard and says how the worker ended. Returns within a second or
// so, whatever the state of the processes.
WorkerEnd stop_guard(pid_t guard, int report);

}  // namespace assay::run
