// SPDX-License-Identifier: Apache-2.0
#include "reports/ledger_table.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "reports/number_text.h"

namespace assay::reports {
namespace {

std::vector<std::string> outputs_of(const VariantResult& result) {
  std::vector<std::string> outputs;
  for (const LedgerEntry& entry : result.ledger) {
    if (std::ranges::find(outputs, entry.output) == outputs.end()) {
      outputs.push_back(entry.output);
    }
  }
  return outputs;
}

std::string cell(const LedgerEntry& entry) {
  if (entry.rmse == 0.0) {
    return "0";
  }
  return entry.part == "total" ? number_text(entry.rmse)
                               : fmt::format("{} ({})", number_text(entry.rmse), percent_text(entry.share, 1));
}

// What tells the variant apart from others of its case.
std::string short_name(const VariantResult& result) {
  const std::string name = result.name.substr(std::min(result.case_name.size(), result.name.size()));
  return name.size() > 2 ? name.substr(1, name.size() - 2) : result.name;
}

}  // namespace

TextTable ledger_table(const CaseGroup& group) {
  TextTable table;
  table.title = group.name + ": error by its source, rmse (share of the squared error)";
  std::set<std::string> names;
  std::vector<std::string> parts;
  for (const VariantResult* result : group.results) {
    for (const std::string& output : outputs_of(*result)) {
      names.insert(output);
    }
    for (const LedgerEntry& entry : result->ledger) {
      if (std::ranges::find(parts, entry.part) == parts.end()) {
        parts.push_back(entry.part);
      }
    }
  }
  const bool several = names.size() > 1;
  table.columns.push_back({"variant", Align::kLeft});
  if (several) {
    table.columns.push_back({"output", Align::kLeft});
  }
  for (const std::string& part : parts) {
    table.columns.push_back({part, Align::kRight});
  }
  for (const VariantResult* result : group.results) {
    for (const std::string& output : outputs_of(*result)) {
      std::vector<std::string> row = {short_name(*result)};
      if (several) {
        row.push_back(output);
      }
      for (const std::string& part : parts) {
        const auto entry = std::ranges::find_if(
            result->ledger, [&](const LedgerEntry& e) { return e.part == part && e.output == output; });
        row.push_back(entry == result->ledger.end() ? "" : cell(*entry));
      }
      const auto alike = std::ranges::find_if(table.rows, [&](const std::vector<std::string>& other) {
        return std::equal(row.begin() + 1, row.end(), other.begin() + 1);
      });
      if (alike == table.rows.end()) {
        table.rows.push_back(std::move(row));
      } else if (!alike->front().ends_with(" ...")) {
        alike->front() += " ...";
      }
    }
  }
  return table;
}

}  // namespace assay::reports
