// SPDX-License-Identifier: Apache-2.0
// summary.md: the run on one GitHub page (job summary, issue, pull request).
#pragma once

#include <string>

#include "reports/record.h"

namespace assay::reports {

std::string render_summary_md(const RunRecord& run);

}  // namespace assay::reports
