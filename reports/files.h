// SPDX-License-Identifier: Apache-2.0
// The files of a report folder: one ordered table. Adding a renderer: its own file and a row here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/renderer.h"

namespace assay::reports {

struct ReportFile {
  std::string_view name;
  std::string_view description;
  StartRenderer start;
};
std::span<const ReportFile> report_files();

// What `assay report --format` can print: the files above, and what is for a terminal or a log only.
struct ReportFormat {
  std::string_view name;
  StartRenderer start;
};
std::span<const ReportFormat> report_formats();

// The journal beside them, appended to while the run goes on.
inline constexpr const char* kJournalName = "results.jsonl";

// The JSON Schema (draft-07) of results.json, as `assay schema results` prints it.
std::string_view results_schema_text();

}  // namespace assay::reports
