// SPDX-License-Identifier: Apache-2.0
// Entries of a case that no variant makes use of: a misspelt value, or one that the matrix has lost.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/expand.h"

namespace assay::spec {

// Entries of `expect`, `reference`, `needs` and `exclude` that stand in the case's own file (parts are for several
// cases) and apply to none of its variants, each as "FILE:LINE:COLUMN: warning: message". `variants`: all of them,
// without settings.
std::vector<std::string> unused_entries(const Case& test_case, const std::vector<Variant>& variants);

// Whether the case has entries with conditions at all.
bool has_conditions(const Case& test_case);

}  // namespace assay::spec
