// SPDX-License-Identifier: Apache-2.0
// The folder that -o names: the journal while the run goes on, the report files at its end.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "reports/record.h"

namespace assay::run {

// Makes the folder (and its parents) and checks that files can be made in it.
Status prepare_folder(const std::string& folder);

// Removes the report files of an earlier run, so that they are not taken for those of a run that was killed.
void remove_reports(const std::string& folder);

// Writes every row of reports::report_files(), each under a temporary name first, so that no reader sees half a file.
Status write_reports(const std::string& folder, const reports::RunRecord& run);

// Whole file; kIo errors name it.
Status write_text_file(const std::string& path, const std::string& text);
Result<std::string> read_text_file(const std::string& path);

// results.jsonl, flushed after each line. A later line for the same name replaces an earlier one.
class Journal {
 public:
  // `keep`: go on behind what is there (a torn last line is cut off), else start anew.
  static Result<Journal> open(const std::string& folder, bool keep);
  Status append(const reports::VariantResult& result);

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::ofstream file_;
};

// What a journal holds, the last line of each name; nothing if there is no journal.
Result<std::vector<reports::VariantResult>> read_journal(const std::string& folder);

// A run's record from its folder (results.json, else the journal) or from a results.json itself.
Result<reports::RunRecord> read_run(const std::string& path);

}  // namespace assay::run
