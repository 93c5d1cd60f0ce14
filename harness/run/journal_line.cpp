// SPDX-License-Identifier: Apache-2.0
#include "harness/run/journal_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/fnv.h"
#include "reports/json_text.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

using reports::Json;

// The end of a line whose beginning is `text`.
std::string ending_of(std::string_view text) { return fmt::format(",\"digest\":\"{:016x}\"}}\n", fnv1a(text)); }

}  // namespace

std::string journal_line(const reports::VariantResult& result, const Json& made_by) {
  Json json = reports::result_to_json(result);
  json["made_by"] = made_by;
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  line.pop_back();  // the bracket
  return line + ending_of(line);
}

std::optional<JournalEntry> read_journal_line(std::string_view line) {
  static const std::size_t kEnding = ending_of("").size();
  const std::size_t begin = line.size() - std::min(line.size(), kEnding);
  const bool sealed = line.substr(begin) == ending_of(line.substr(0, begin));
  if (!sealed && line.find("\"digest\":") != std::string_view::npos) {
    return std::nullopt;
  }
  Json json = reports::parse_json(line);
  Json made_by = json.is_object() && json.contains("made_by") ? std::move(json["made_by"]) : Json();
  if (!sealed && !made_by.is_null()) {
    return std::nullopt;  // whoever wrote the maker wrote a digest
  }
  reports::ParsedResult parsed = reports::parse_result(std::move(json));
  if (!parsed.result) {
    return std::nullopt;
  }
  return JournalEntry{std::move(*parsed.result), std::move(made_by)};
}

}  // namespace assay::run
