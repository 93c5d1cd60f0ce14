// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations threads share.
#pragma once

#include "engine/base/dtype.h"

namespace assay::runtime {

// One body behind a plain function, so that users of the loop need no header of the thread library.
struct TaskBody {
  void (*call)(const void* body, Index task, int slot) = nullptr;
  const void* body = nullptr;
};
// The same as for_each_task for count and threads above 1.
void share_tasks(Index count, int threads, const TaskBody& body);

// Calls body(task, slot) for every task in [0, count), slot < threads being the worker's own. The body must not depend
// on which worker does which task. The caller works too and waits for no worker that has not begun a task.
template <typename Body>
void for_each_task(Index count, int threads, const Body& body) {
  if (threads <= 1 || count <= 1) {
    for (Index task = 0; task < count; ++task) {
      body(task, 0);
    }
    return;
  }
  share_tasks(
      count, threads,
      {.call = [](const void* erased, Index task, int slot) { (*static_cast<const Body*>(erased))(task, slot); },
       .body = &body});
}

}  // namespace assay::runtime
