// SPDX-License-Identifier: Apache-2.0
// Pictures: report.svg (the report's tables as one image) and the bar charts of report.html.
#pragma once

#include <string>
#include <vector>

#include "reports/pivot.h"
#include "reports/renderer.h"

namespace assay::reports {

// The cases with their counts, then the configuration table of every labelled case (of every case where none is).
std::unique_ptr<Renderer> start_report_svg(const RunRecord& run, const Sink& sink);

// A bar per row of the pivot: SQNR where the case has it, else the largest error. "" where it has neither or one row.
// An infinite figure fills the width.
std::string render_error_chart(const Pivot& pivot);

// The colour of an outcome, as "#rrggbb".
const char* outcome_color(Outcome outcome);

}  // namespace assay::reports
