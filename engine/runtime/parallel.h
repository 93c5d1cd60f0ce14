// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations threads share. Needs OpenMP: for source files of the runtime, not for its headers' users.
#pragma once

#include "engine/base/dtype.h"

namespace assay::runtime {

// The number of the calling thread in its loop, from 0.
int worker_slot();

// Calls body(task, slot) for every task in [0, count), slot < threads being the worker's own. The body must not depend
// on which worker does which task, and must not fail.
template <typename Body>
void for_each_task(Index count, int threads, const Body& body) {
  if (threads <= 1 || count <= 1) {
    for (Index task = 0; task < count; ++task) {
      body(task, 0);
    }
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index task = 0; task < count; ++task) {
    body(task, worker_slot());
  }
}

}  // namespace assay::runtime
