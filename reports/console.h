// SPDX-License-Identifier: Apache-2.0
// The console report: a line per case with its counts, an accuracy table per labelled case, the timing table, every
// failure in full with the line that reruns it, and the verdict.
#pragma once

#include "reports/record.h"
#include "reports/sink.h"

namespace assay::reports {

struct ConsoleOptions {
  bool color = false;
  bool verbose = false;  // a line per variant and a table for every case
};

void render_console(const RunRecord& run, const ConsoleOptions& options, const Sink& sink);

}  // namespace assay::reports
