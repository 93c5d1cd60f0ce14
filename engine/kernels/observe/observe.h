// SPDX-License-Identifier: Apache-2.0
// What calibration does with every element of every value.
//
//   extremes: min and max of the elements but NaN (+infinity and -infinity if there are no others), min |x|, and
//   whether
//             all are finite; where they are not, min |x| is of no use
//   find_counters, of finite elements inside the range of a dyadic histogram:
//             bin = floor(x * bins_per_unit) + zero_bin, or floor(|x| * bins_per_unit) if not is_signed (zero_bin is 0)
//             counters[i] = i % kZeroCounters where bin is zero_bin,
//                           else kZeroCounters + kCountersPerBin * bin + i % kCountersPerBin
//
// Reads and writes: the elements of the spans, nothing before or behind. Every row gives the same bytes.
#pragma once

#include <span>

#include "engine/kernels/choose_kernel.h"
#include "engine/kernels/observe/observe_args.h"

namespace assay::kernels {

struct ObserveKernel {
  const char* name;  // observe_<isa>
  Isa isa;           // needs this to run natively
  FloatExtremes (*extremes)(const float* x, std::int64_t count);
  void (*find_counters)(const CounterArgs&);
};
// Every kernel, best first.
std::span<const ObserveKernel> observe_kernels();

// The best that the CPU has: the bytes are the same, so no profile chooses.
const ObserveKernel& observe_kernel(const CpuFeatures& features = host_features());

}  // namespace assay::kernels
