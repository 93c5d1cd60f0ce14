// SPDX-License-Identifier: Apache-2.0
#include "reports/ledger_table.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string budgets_of(const VariantResult& result, const std::string& output) {
  std::string text;
  for (const Check& check : result.checks) {
    const auto part = check.parameters.find("part");
    if (part != check.parameters.end() && (check.measured.output.empty() || check.measured.output == output)) {
      text += fmt::format("{}{} {} {}: {}", text.empty() ? "" : "; ", value_text(*part), check.measured.metric,
                          limit_text(check), check.passed ? "ok" : number_text(check.measured.value));
    }
  }
  return text;
}

bool alike(const LedgerRow& a, const LedgerRow& b) {
  return a.output == b.output && a.budgets == b.budgets &&
         std::ranges::equal(a.entries, b.entries, [](const LedgerEntry& x, const LedgerEntry& y) {
           return x.part == y.part && cell(x) == cell(y);
         });
}

}  // namespace

std::vector<LedgerRow> ledger_rows(const CaseGroup& group) {
  std::vector<LedgerRow> rows;
  for (const VariantResult* result : group.results) {
    for (const std::string& output : outputs_of(*result)) {
      LedgerRow row{short_name(*result), output, {}, budgets_of(*result, output)};
      std::ranges::copy_if(result->ledger, std::back_inserter(row.entries),
                           [&](const LedgerEntry& entry) { return entry.output == output; });
      const auto known = std::ranges::find_if(rows, [&](const LedgerRow& other) { return alike(row, other); });
      if (known == rows.end()) {
        rows.push_back(std::move(row));
      } else if (!known->variant.ends_with(" ...")) {
        known->variant += " ...";
      }
    }
  }
  return rows;
}

std::vector<std::string> ledger_parts(const std::vector<LedgerRow>& rows) {
  std::vector<std::string> parts;
  for (const LedgerRow& row : rows) {
    for (const LedgerEntry& entry : row.entries) {
      if (std::ranges::find(parts, entry.part) == parts.end()) {
        parts.push_back(entry.part);
      }
    }
  }
  return parts;
}

TextTable ledger_table(const CaseGroup& group) {
  const std::vector<LedgerRow> rows = ledger_rows(group);
  const std::vector<std::string> parts = ledger_parts(rows);
  const bool several =
      std::ranges::any_of(rows, [&](const LedgerRow& row) { return row.output != rows.front().output; });
  const bool budgets = std::ranges::any_of(rows, [](const LedgerRow& row) { return !row.budgets.empty(); });
  TextTable table;
  table.title = group.name + ": error by its source, rmse (share of the squared error)";
  table.columns.push_back({"variant", Align::kLeft});
  if (several) {
    table.columns.push_back({"output", Align::kLeft});
  }
  for (const std::string& part : parts) {
    table.columns.push_back({part, Align::kRight});
  }
  if (budgets) {
    table.columns.push_back({"budgets", Align::kLeft});
  }
  for (const LedgerRow& row : rows) {
    std::vector<std::string> cells = {row.variant};
    if (several) {
      cells.push_back(row.output);
    }
    for (const std::string& part : parts) {
      const auto entry = std::ranges::find(row.entries, part, &LedgerEntry::part);
      cells.push_back(entry == row.entries.end() ? "" : cell(*entry));
    }
    if (budgets) {
      cells.push_back(row.budgets);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace assay::reports
