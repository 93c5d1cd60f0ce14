// SPDX-License-Identifier: Apache-2.0
// results.json and the lines of results.jsonl, written and read. schema/results.schema.json describes the first.
// results.jsonl is the journal: one result per line, appended as it arrives; a torn last line is ignored when read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/renderer.h"

namespace assay::reports {

Json result_to_json(const VariantResult& result);
std::unique_ptr<Renderer> start_results_json(const RunRecord& run, const Sink& sink);
// One line, with its line end.
std::string journal_line(const VariantResult& result);

// A record read back, or what is wrong with the text.
struct ParsedRun {
  std::optional<RunRecord> run;
  std::string error;
};
struct ParsedResult {
  std::optional<VariantResult> result;
  std::string error;
};
ParsedRun parse_results_json(std::string_view text);
ParsedResult parse_result(Json json);
// The results of a journal; lines that are no result (the torn end after a kill) are left out.
std::vector<VariantResult> parse_journal(std::string_view text);

}  // namespace assay::reports
