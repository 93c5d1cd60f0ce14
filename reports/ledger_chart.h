// SPDX-License-Identifier: Apache-2.0
// The error ledger of a case as a picture.
#pragma once

#include <string>

#include "reports/record.h"

namespace assay::reports {

// A stacked bar per row of the ledger: what share of the squared error each part adds. Parts that undo what others do
// lie left of the line at 0. "" where no error was split. Rows beyond 60 are left out, with a note.
std::string render_ledger_chart(const CaseGroup& group);

}  // namespace assay::reports
