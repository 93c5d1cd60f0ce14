// SPDX-License-Identifier: Apache-2.0
// The folder that -o names, with the report files that stand in it at the end of a run. The journal is journal.h's.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "reports/record.h"

namespace assay::run {

// Makes the folder (and its parents) and checks that files can be made in it.
Status prepare_folder(const std::string& folder);

// Removes the report files of an earlier run, so that they are not taken for those of a run that was killed.
void remove_reports(const std::string& folder);

// Writes every row of reports::report_files(), each as a whole. One that cannot be written becomes the run's
// harness_error, unless it has one already; the others are written all the same, and all of them say so.
Status write_reports(const std::string& folder, reports::RunRecord& run);

// A run's record from its folder or from a results.json itself. A folder without one has a journal, whose
// results these are; where there is no verdict.json either, its run was killed or goes on, and is marked as
// interrupted. `lost`: where given, becomes the number of lines of that journal that are no whole result.
Result<reports::RunRecord> read_run(const std::string& path, std::size_t* lost = nullptr);

}  // namespace assay::run
