// SPDX-License-Identifier: Apache-2.0
// The measured peak of an instruction mix, now: what a benchmark's rate is a share of.
#pragma once

#include <vector>

#include "engine/kernels/peak/peak.h"

namespace assay::bench {

// Operations per second of processor time on one core, of a few bursts of half a millisecond each: added to `bursts`.
void measure_peak(const kernels::PeakKernel& kernel, std::vector<double>& bursts);

// The median of bursts that were measured before and after a row: the clock that a core keeps up while it multiplies is
// below that of its best moment, and an interrupted burst counts no more than one.
double median_peak(std::vector<double> bursts);

// Seconds of processor time that this thread has used.
double thread_seconds();
// Seconds of wall clock since some fixed moment.
double wall_seconds();

}  // namespace assay::bench
