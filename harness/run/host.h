// SPDX-License-Identifier: Apache-2.0
// The machine that a run's numbers come from.
#pragma once

#include "reports/record.h"

namespace assay::run {

// name, cpu, features, native profiles, cores, memory, operating system, versions.
reports::Json host_facts();

// Processors that this process may run on.
int usable_cores();

// UTC, "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace assay::run
