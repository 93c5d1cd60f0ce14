// SPDX-License-Identifier: Apache-2.0
#include "reports/files.h"

#include <array>

#include "reports/ctrf_json.h"
#include "reports/exit_code.h"
#include "reports/github_annotations.h"
#include "reports/junit_xml.h"
#include "reports/report_html.h"
#include "reports/results_json.h"
#include "reports/summary_md.h"
#include "reports/svg.h"
#include "reports/tap.h"
#include "reports/timing_table.h"

namespace assay::reports {

// verdict.json last: who waits for it finds the others complete.
std::span<const ReportFile> report_files() {
  static constexpr std::array<ReportFile, 10> kFiles{{
      {"results.json", "every result; schema/results.schema.json", start_results_json},
      {"junit.xml", "for Jenkins, GitLab and others", start_junit_xml},
      {"ctrf.json", "the Common Test Report Format", start_ctrf_json},
      {"results.tap", "the Test Anything Protocol", start_tap},
      {"summary.md", "for GitHub pages", start_summary_md},
      {"timing.csv", "a line per timed variant", start_timing_csv},
      {"benchmark.json", "the times in Google Benchmark's format", start_benchmark_json},
      {"report.svg", "the tables as a picture", start_report_svg},
      {"report.html", "a self-contained page", start_report_html},
      {"verdict.json", "exit code and counts", start_verdict_json},
  }};
  return kFiles;
}

std::span<const ReportFormat> report_formats() {
  static constexpr std::array<ReportFormat, 11> kFormats{{
      {"json", start_results_json},
      {"junit", start_junit_xml},
      {"ctrf", start_ctrf_json},
      {"tap", start_tap},
      {"github", start_github_annotations},
      {"markdown", start_summary_md},
      {"csv", start_timing_csv},
      {"benchmark", start_benchmark_json},
      {"svg", start_report_svg},
      {"html", start_report_html},
      {"verdict", start_verdict_json},
  }};
  return kFormats;
}

}  // namespace assay::reports
