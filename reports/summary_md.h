// SPDX-License-Identifier: Apache-2.0
// summary.md: the run on one GitHub page (job summary, issue, pull request).
#pragma once

#include <string>

#include "reports/renderer.h"

namespace assay::reports {

std::unique_ptr<Renderer> start_summary_md(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
