// SPDX-License-Identifier: Apache-2.0
// Working memory of an operator, kept between runs and grown when needed; and the loop that shares it out to threads.
#pragma once

#include <omp.h>

#include <vector>

#include "engine/base/aligned_buffer.h"
#include "engine/base/dtype.h"

namespace assay::runtime {

class ScratchBuffer {
 public:
  // At least this many bytes, and a cache line behind them that kernels may read. The contents are lost where it grows.
  Status reserve(Index size_bytes) {
    const auto wanted = static_cast<std::size_t>(size_bytes) + kAlignmentBytes;
    if (buffer_.data() == nullptr || wanted > buffer_.size_bytes()) {
      ASSAY_ASSIGN(buffer_, AlignedBuffer::allocate_uninitialized(wanted));
    }
    return {};
  }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(buffer_.data());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(buffer_.data());
  }

 private:
  AlignedBuffer buffer_;
};

// Calls body(task, slot) for every task in [0, count), slot < threads being the worker's own. The body must not depend
// on which worker does which task.
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
    body(task, omp_get_thread_num());
  }
}

}  // namespace assay::runtime
