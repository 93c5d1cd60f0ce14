// SPDX-License-Identifier: Apache-2.0
// The measured peak of an instruction mix, now: what a benchmark's rate is a share of.
#pragma once

#include "engine/kernels/peak/peak.h"

namespace assay::bench {

// Operations per second of processor time on one core: the best of a few bursts of half a millisecond, so that a burst
// that was interrupted does not count.
double measure_peak(const kernels::PeakKernel& kernel);

// Seconds of processor time that this thread has used.
double thread_seconds();
// Seconds of wall clock since some fixed moment.
double wall_seconds();

}  // namespace assay::bench
