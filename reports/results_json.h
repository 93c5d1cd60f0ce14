// SPDX-License-Identifier: Apache-2.0
// results.json, written and read; schema/results.schema.json describes it. A line of the journal holds one result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/renderer.h"

namespace assay::reports {

Json result_to_json(const VariantResult& result);
std::unique_ptr<Renderer> start_results_json(const RunRecord& run, const Sink& sink);

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

}  // namespace assay::reports
