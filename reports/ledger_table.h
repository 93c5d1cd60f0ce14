// SPDX-License-Identifier: Apache-2.0
// Where the error of a case's variants comes from, a row per variant and output.
#pragma once

#include "reports/record.h"
#include "reports/text_table.h"

namespace assay::reports {

// Columns: the variant, the output where there are several, then for each part its rmse and share of the total squared
// error. Variants of the same figures share a row. No rows where no error was split.
TextTable ledger_table(const CaseGroup& group);

}  // namespace assay::reports
