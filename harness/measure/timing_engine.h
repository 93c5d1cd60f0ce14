// SPDX-License-Identifier: Apache-2.0
// Timing through Google Benchmark: every call is registered as a benchmark at run time, repetitions of all of them are
// interleaved at random, and nothing is printed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/result.h"

namespace assay::measure {

struct OwnTime {
  double real_s = 0;
  double cpu_s = 0;
};

struct TimedCall {
  std::string name;
  std::function<Status()> call;  // one measured operation; the first, before timing, warms up
  // Set where the operation runs elsewhere and is timed there: does it once and gives its time. Then `call` only warms
  // up.
  std::function<Result<OwnTime>()> timed_elsewhere = nullptr;
};

struct TimingOptions {
  int repetitions = 9;
  double min_time_s = 0.01;  // of one repetition; Google Benchmark chooses the iterations
  // What one call may take of the wall clock, all its repetitions together; 0: no limit. Where more is to be expected
  // from the first ones, it gets fewer iterations, then fewer repetitions; below kFewestRepetitions it is not timed,
  // and says so as its error.
  double limit_s = 0;
};

inline constexpr int kFewestRepetitions = 3;

struct TimedSamples {
  std::string name;
  std::vector<double> real_ns;  // one per repetition: wall clock of an iteration
  std::vector<double> cpu_ns;
  Index iterations = 0;  // per repetition
  std::string error;     // not empty: the call failed, and there are no times
};

// One entry per call, in order. Not for concurrent use: Google Benchmark's registry is one per process.
std::vector<TimedSamples> time_calls(const std::vector<TimedCall>& calls, const TimingOptions& options);

}  // namespace assay::measure
