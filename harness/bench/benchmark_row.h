// SPDX-License-Identifier: Apache-2.0
// One benchmark: a name, and how to make the call that is timed. Making it computes the answer once and checks it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/peak/peak.h"

namespace assay::bench {

// What one call does; figures that are 0 are not shown.
struct Work {
  double operations = 0;                      // a multiplication and its addition count as two
  double bytes = 0;                           // read and written once each
  const kernels::PeakKernel* peak = nullptr;  // the mix that bounds it; null: no share of a peak is shown
  int threads = 1;                            // more than one: rates are per second of wall clock
};

struct Prepared {
  std::function<Status()> call;
  // Compares the call's answer with that of the scalar kernel or a naive loop. An error names the thing that differs.
  std::function<Status()> check;
  std::function<Status()> baseline;  // timed after each repetition; the row then says how many times as long it takes
  Work work;
  std::string label;  // shown beside the times: which kernels ran, and how
};

struct BenchmarkRow {
  std::string name;
  std::function<Result<Prepared>()> prepare;  // allocates and fills; not called for rows that are only listed
};

using BenchmarkRows = std::vector<BenchmarkRow>;

}  // namespace assay::bench
