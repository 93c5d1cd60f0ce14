// SPDX-License-Identifier: Apache-2.0
// What the worker processes of a run do.
#pragma once

#include <string>

#include "harness/run/process.h"
#include "harness/run/selection.h"
#include "harness/run/timing_process.h"

namespace assay::run {

// {"job": i} runs the variant at a position of the selection, {"time": [i, ...]} times some. {"error"}: an exception,
// as for want of memory. A result has the external runtimes that made it with it, under their key (maker.h).
// `selection` outlives the handler.
Handler worker_handler(const Selection& selection, const TimingSettings& timing, const std::string& scratch);

}  // namespace assay::run
