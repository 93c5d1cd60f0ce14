// SPDX-License-Identifier: Apache-2.0
// The number of OpenMP threads while a scope lasts; oneDNN and OpenMP loops obey it.
#pragma once

#include <omp.h>

namespace assay::runtime {

class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace assay::runtime
