// SPDX-License-Identifier: Apache-2.0
// When each node of a model ran, for `assay infer --profile` and `--trace`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/api/session.h"

namespace assay::cli {

struct NodeSpan {
  std::size_t node = 0;  // position in the optimised graph's nodes
  double begin_us = 0;   // since the first call
  double end_us = 0;
};

// The nodes of a plan run one after the other, so that each begins where the one before it ends.
class NodeTimes {
 public:
  // Options with which a run reports its nodes here; valid while this object lives.
  api::RunOptions options();

  const std::vector<NodeSpan>& spans() const { return spans_; }
  // Sum over all runs (a batch may be fed in parts).
  double total_ns(std::size_t node) const;

 private:
  using Clock = std::chrono::steady_clock;
  double now_us() const { return std::chrono::duration<double, std::micro>(Clock::now() - start_).count(); }

  Clock::time_point start_;
  double last_us_ = 0;
  std::vector<NodeSpan> spans_;
};

// The spans as a JSON file of Chrome's trace event format ("X" events, microseconds), which chrome://tracing and
// Perfetto show. `kernels` are the session's: what each node is and which kernel ran.
std::string chrome_trace(const std::vector<NodeSpan>& spans, const std::vector<api::KernelInfo>& kernels);

}  // namespace assay::cli
