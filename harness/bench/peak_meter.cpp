// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/peak_meter.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace assay::bench {
namespace {

constexpr int kBursts = 4;
constexpr double kBurstSeconds = 5e-4;

double seconds_of(const kernels::PeakKernel& kernel, Index steps) {
  std::int32_t sum = 0;
  kernels::PeakArgs args;
  args.steps = steps;
  args.a = 1;
  args.b = 1;
  args.sum = &sum;
  const double start = thread_seconds();
  kernel.run(args);
  return thread_seconds() - start;
}

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double measure_peak(const kernels::PeakKernel& kernel) {
  // The first bursts only find how many steps fill one; they warm the core up too.
  Index steps = 1000;
  while (seconds_of(kernel, steps) < kBurstSeconds / 2) {
    steps *= 2;
  }
  double best = 0;
  for (int i = 0; i < kBursts; ++i) {
    const double seconds = seconds_of(kernel, steps);
    best = std::max(best, static_cast<double>(steps * kernels::peak_operations_per_step(kernel)) / seconds);
  }
  return best;
}

}  // namespace assay::bench
