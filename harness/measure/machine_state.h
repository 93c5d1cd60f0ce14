// SPDX-License-Identifier: Apache-2.0
// What else the machine does while something is timed.
#pragma once

#include <optional>

namespace assay::measure {

// The load average of the last minute. Nothing where the system does not say.
std::optional<double> load_average();

// The clock of the processor that this thread is on, in MHz. Nothing where the system does not say (as in some virtual
// machines).
std::optional<double> processor_mhz();

}  // namespace assay::measure
