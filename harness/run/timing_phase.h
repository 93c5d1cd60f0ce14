// SPDX-License-Identifier: Apache-2.0
// After all checks: times the variants that passed, one process at a time, and judges speed-ups.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/run/process.h"
#include "harness/run/selection.h"
#include "reports/record.h"

namespace assay::run {

struct TimingPhaseOptions {
  double timeout_s = 60;  // per timed variant
  // Fresh pairs that confirm or refute a speed-up that the common run leaves in doubt. Six reach a 95 % interval.
  int fresh_pairs = 6;
  Handler handler;  // gets {"time": [positions]}; time_variants' answer
  std::function<bool()> interrupted;
  std::function<void(const std::string&)> say;
  std::function<void(std::size_t)> on_timed;  // position whose record changed
};

// By position in selection.variants.
using TimedResults = std::map<std::size_t, reports::VariantResult>;

// `results` has every variant of one case or more. Timed are the passing variants of cases with `timing` that have no
// timing yet and whose kernels all run natively. Where the case demands a speed-up, the outcome becomes fail or
// inconclusive unless it is reached.
void time_results(const Selection& selection, TimedResults& results, const TimingPhaseOptions& options);

// Whether some kernel is emulated: its time says nothing about the instruction set it stands for.
bool is_emulated(const reports::VariantResult& result);

}  // namespace assay::run
