// SPDX-License-Identifier: Apache-2.0
// Internal to api/: calibration samples shared out to threads.
#pragma once

#include <functional>

#include "engine/api/quantize.h"

namespace assay::api {

struct SampleWork {
  // Called by worker `worker` (from 0) for each sample that it gets, in any order over the workers.
  std::function<Status(int worker, Index sample, const NamedTensors& inputs)> run;
  // Called after `run`, one sample after the other in their order. May be null.
  std::function<void(int worker, Index sample)> in_order;
};

// Asks the source for samples 0, 1, ... until it has no more and hands each to one of `workers` threads. One sample of
// each worker exists at a time. The number of samples, or the error of the lowest sample that failed ("calibration
// sample 3: ..." where it is not the source's own).
Result<Index> run_samples(const CalibrationSource& source, int workers, const SampleWork& work);

// Calls body(task) for every task in [0, count), in `workers` threads.
Status run_tasks(std::size_t count, int workers, const std::function<void(std::size_t task)>& body);

}  // namespace assay::api
