// SPDX-License-Identifier: Apache-2.0
// The measured peak of an instruction mix, now: what a benchmark's rate is a share of.
#pragma once

#include <vector>

#include "engine/kernels/peak/peak.h"

namespace assay::bench {

double median(std::vector<double> values);  // 0 without any

// The share of a mix's peak that a row reaches. Bursts of half a millisecond of the mix alternate with stretches of the
// row's calls, and each stretch is divided by the mean of the bursts beside it: a core's clock follows what it
// computes, so that a burst of another moment would be no ceiling. Medians, so that interruptions count for neither.
class PeakMeter {
 public:
  // Finds how many steps fill a burst, and makes the first one.
  explicit PeakMeter(const kernels::PeakKernel& kernel);
  // A stretch that ends now: its operations per second on one core.
  void stretch(double rate);
  bool measured() const { return !shares_.empty(); }
  double peak() const { return median(bursts_); }  // operations per second of processor time on one core
  double share() const { return median(shares_); }

 private:
  double burst() const;

  const kernels::PeakKernel& kernel_;
  Index steps_ = 1000;
  std::vector<double> bursts_;
  std::vector<double> shares_;
};

// Seconds of processor time that this thread has used.
double thread_seconds();
// Seconds of wall clock since some fixed moment.
double wall_seconds();

}  // namespace assay::bench
