// SPDX-License-Identifier: Apache-2.0
// The timing table of configuration x network, shared by console, summary.md and report.html; and timing.csv.
#pragma once

#include <string>

#include "reports/renderer.h"
#include "reports/text_table.h"

namespace assay::reports {

// One row per timed variant (also those without a time, with the reason), grouped by network (case).
TextTable timing_table(const RunRecord& run);
// Rows: configurations; columns: networks; cells "0.123 ms x2.10". Empty where only one network was timed.
TextTable timing_cross_table(const RunRecord& run);

// A header line, then one line per timed variant. Fields with a comma, a quote or a line break are quoted.
std::unique_ptr<Renderer> start_timing_csv(const RunRecord& run, const Sink& sink);
// Google Benchmark's JSON format: one aggregate entry each of median, mean, stddev and cv, and one per repetition.
std::unique_ptr<Renderer> start_benchmark_json(const RunRecord& run, const Sink& sink);

}  // namespace assay::reports
