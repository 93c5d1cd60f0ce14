// SPDX-License-Identifier: Apache-2.0
// The measured peak of an instruction mix, now: what a benchmark's rate is a share of.
#pragma once

#include <vector>

#include "engine/kernels/peak/peak.h"

namespace assay::bench {

// Bursts of half a millisecond of one mix, taken between the calls of a row: a core's clock follows what it computes,
// so that bursts of another moment would be no ceiling of the row.
class PeakMeter {
 public:
  // Finds how many steps fill a burst.
  explicit PeakMeter(const kernels::PeakKernel& kernel);
  void burst();
  // Operations per second of processor time on one core, the median of the bursts; 0 without any.
  double median() const;

 private:
  const kernels::PeakKernel& kernel_;
  Index steps_ = 1000;
  std::vector<double> rates_;
};

// Seconds of processor time that this thread has used.
double thread_seconds();
// Seconds of wall clock since some fixed moment.
double wall_seconds();

}  // namespace assay::bench
