// SPDX-License-Identifier: Apache-2.0
// The last step of `run` and `report`: the run on stdout, and its exit code.
#pragma once

#include <functional>
#include <string>

#include "reports/record.h"

namespace assay::cli {

// Prints what `render` makes of the run and gives the run's exit code. Where stdout cannot be written, that becomes the
// run's harness_error, and the reports in `folder` ("": there are none) are written again, to say so too.
int print_run(reports::RunRecord& run, const std::string& folder, const std::function<std::string()>& render);

}  // namespace assay::cli
