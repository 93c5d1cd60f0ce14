// SPDX-License-Identifier: Apache-2.0
// Where the error of a case's variants comes from, a row per variant and output.
#pragma once

#include <string>
#include <vector>

#include "reports/record.h"
#include "reports/text_table.h"

namespace assay::reports {

struct LedgerRow {
  std::string
      variant;  // what tells it apart from others of its case; ends in " ..." where others have the same figures
  std::string output;
  std::vector<LedgerEntry> entries;  // a part each, in the order of the steps; the total last
  std::string budgets;               // the checks of single parts: "arithmetic rmse at_most 0.1: ok"
};
// Variants of the same figures share a row. None where no error was split.
std::vector<LedgerRow> ledger_rows(const CaseGroup& group);
// The parts that occur, in the order of their first rows.
std::vector<std::string> ledger_parts(const std::vector<LedgerRow>& rows);

// Columns: the variant, the output where there are several, then for each part its rmse and share of the total squared
// error, and the budgets where there are any. No rows where no error was split.
TextTable ledger_table(const CaseGroup& group);

}  // namespace assay::reports
