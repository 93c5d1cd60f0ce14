// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/peak_meter.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace assay::bench {
namespace {

constexpr int kBursts = 5;
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

void measure_peak(const kernels::PeakKernel& kernel, std::vector<double>& bursts) {
  // The first bursts only find how many steps fill one; they warm the core up too.
  Index steps = 1000;
  while (seconds_of(kernel, steps) < kBurstSeconds / 2) {
    steps *= 2;
  }
  for (int i = 0; i < kBursts; ++i) {
    const double seconds = seconds_of(kernel, steps);
    bursts.push_back(static_cast<double>(steps * kernels::peak_operations_per_step(kernel)) / seconds);
  }
}

double median_peak(std::vector<double> bursts) {
  std::ranges::sort(bursts);
  const std::size_t count = bursts.size();
  return count == 0 ? 0 : (bursts[(count - 1) / 2] + bursts[count / 2]) / 2;
}

}  // namespace assay::bench
