// SPDX-License-Identifier: Apache-2.0
// The number of OpenMP threads while a scope lasts; oneDNN and OpenMP loops obey it.
#pragma once

#include <cstdint>

namespace assay::runtime {

// How many of `threads` a float product of so many multiply-accumulates is worth: below half a million, which one
// thread computes in some ten microseconds, waking and awaiting others costs more than they do.
inline int threads_worth(std::int64_t multiply_accumulates, int threads) {
  return multiply_accumulates < 500'000 ? 1 : threads;
}

// Of the innermost scope.
int max_threads();

class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace assay::runtime
