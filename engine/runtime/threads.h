// SPDX-License-Identifier: Apache-2.0
// The number of OpenMP threads while a scope lasts; oneDNN and OpenMP loops obey it.
#pragma once

namespace assay::runtime {

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
