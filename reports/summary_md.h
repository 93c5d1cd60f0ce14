// SPDX-License-Identifier: Apache-2.0
// summary.md: the run on one GitHub page (job summary, issue, pull request).
#pragma once

#include <string>

#include "reports/record.h"
#include "reports/sink.h"

namespace assay::reports {

void render_summary_md(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
