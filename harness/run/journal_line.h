// SPDX-License-Identifier: Apache-2.0
// A line of the journal: a result as in results.json, then "made_by", what made it, and last "digest", which tells a
// line that has been damaged or altered since from one that was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/record.h"

namespace assay::run {

struct JournalEntry {
  reports::VariantResult result;
  reports::Json made_by;  // of maker.h; null where the journal has no maker
};

// With its line end.
std::string journal_line(const reports::VariantResult& result, const reports::Json& made_by);

// Nothing where the line, with its end, is not what journal_line made. Lines of earlier versions, which have no digest,
// are read as they are, with a null maker.
std::optional<JournalEntry> read_journal_line(std::string_view line);

}  // namespace assay::run
