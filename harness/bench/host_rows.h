// SPDX-License-Identifier: Apache-2.0
// The rows of kernel tables that this CPU can run: what every family of benchmarks iterates over.
#pragma once

#include <ranges>
#include <span>

#include "engine/base/cpu_features.h"

namespace assay::bench {

// In the table's order; Kernel has an `isa`. The table must outlive the view.
template <typename Kernel>
auto host_rows(std::span<const Kernel> table) {
  return table | std::views::filter([](const Kernel& kernel) { return can_run(host_features(), kernel.isa); });
}

}  // namespace assay::bench
