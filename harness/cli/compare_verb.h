// SPDX-License-Identifier: Apache-2.0
// `assay compare`.
#pragma once

#include "harness/cli/verbs.h"

namespace assay::cli {

void define_compare(CLI::App& command, Action& action);

}  // namespace assay::cli
