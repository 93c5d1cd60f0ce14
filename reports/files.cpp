// SPDX-License-Identifier: Apache-2.0
#include "reports/files.h"

#include <array>

#include "reports/exit_code.h"
#include "reports/junit_xml.h"
#include "reports/report_html.h"
#include "reports/results_json.h"
#include "reports/summary_md.h"
#include "reports/svg.h"
#include "reports/timing_table.h"

namespace assay::reports {

// verdict.json last: who waits for it finds the others complete.
std::span<const ReportFile> report_files() {
  static constexpr std::array<ReportFile, 8> kFiles{{
      {"results.json", "every result; schema/results.schema.json", render_results_json},
      {"junit.xml", "for Jenkins, GitLab and others", render_junit_xml},
      {"summary.md", "for GitHub pages", render_summary_md},
      {"timing.csv", "a line per timed variant", render_timing_csv},
      {"benchmark.json", "the times in Google Benchmark's format", render_benchmark_json},
      {"report.svg", "the tables as a picture", render_report_svg},
      {"report.html", "a self-contained page", render_report_html},
      {"verdict.json", "exit code and counts", render_verdict_json},
  }};
  return kFiles;
}

}  // namespace assay::reports
