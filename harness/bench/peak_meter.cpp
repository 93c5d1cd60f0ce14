// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/peak_meter.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace assay::bench {
namespace {

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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t count = values.size();
  return count == 0 ? 0 : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

PeakMeter::PeakMeter(const kernels::PeakKernel& kernel) : kernel_(kernel) {
  while (seconds_of(kernel, steps_) < kBurstSeconds / 2) {
    steps_ *= 2;
  }
  bursts_.push_back(burst());
}

double PeakMeter::burst() const {
  return static_cast<double>(steps_ * kernels::peak_operations_per_step(kernel_)) / seconds_of(kernel_, steps_);
}

void PeakMeter::stretch(double rate) {
  const double before = bursts_.back();
  bursts_.push_back(burst());
  shares_.push_back(rate / ((before + bursts_.back()) / 2));
}

}  // namespace assay::bench
