// SPDX-License-Identifier: Apache-2.0
// Timing some variants of one case in the process that this is called in.
#pragma once

#include <vector>

#include "harness/run/channel.h"
#include "harness/run/external/runtime_host.h"
#include "harness/run/selection.h"

namespace assay::run {

struct TimingSettings {
  int repetitions = 9;
  double min_time_s = 0.01;
  // Of the wall clock, for all repetitions of one variant; 0: half of the run's --timeout.
  double limit_s = 0;
};

// Times the variants (positions in `selection.variants`, all of one case) interleaved, and the float model beside them
// where the case's model is one. The answer: {"times": [{"real", "cpu", "iterations", "operations", "batch",
// "float_median_ns", "error"}]}, one per position.
// A call is one session run on the first samples: runtime.batch of them, what the model fixes, or one.
Json time_variants(const Selection& selection, const std::vector<std::size_t>& positions,
                   const TimingSettings& settings, RuntimeHost& host);

}  // namespace assay::run
