// SPDX-License-Identifier: Apache-2.0
// report.html: one self-contained page (no network): verdict, host, a table and a chart per case, timing, and every
// variant with its checks and kernels behind a filter.
#pragma once

#include <string>

#include "reports/renderer.h"

namespace assay::reports {

std::unique_ptr<Renderer> start_report_html(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
