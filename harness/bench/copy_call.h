// SPDX-License-Identifier: Apache-2.0
// What memory allows: memcpy beside the kernels whose limit it is.
#pragma once

#include "engine/base/dtype.h"
#include "harness/bench/benchmark_row.h"

namespace assay::bench {

// A memcpy that reads and writes `bytes` in all, half of them each.
Result<Prepared> prepare_copy(Index bytes);

}  // namespace assay::bench
