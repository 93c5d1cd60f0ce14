// SPDX-License-Identifier: Apache-2.0
// results.jsonl of an output folder: one result a line, appended as it arrives.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "reports/record.h"

namespace assay::run {

// The journal of the run that owns the folder. Whoever has one is alone: a second process is refused until this one
// closes it or ends, in whatever way. (The lock is fcntl's: a forked worker does not hold it. It would be lost if this
// process opened and closed the file a second time, so everything goes through this one descriptor.)
class Journal {
 public:
  // Makes the file if there is none, and changes nothing in one that is there. Errors: kIo, with the process that has
  // the folder.
  static Result<Journal> open(const std::string& folder);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // What it holds, the last line of each name.
  Result<std::vector<reports::VariantResult>> results() const;
  // Cuts off a torn last line, so that the next one begins a line of its own.
  Status repair();
  Status clear();
  Status append(const reports::VariantResult& result);

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  Status cut(std::size_t size);
  std::string path_;
  int descriptor_ = -1;
};

// What the journal of a folder holds, the last line of each name; nothing if there is no journal.
Result<std::vector<reports::VariantResult>> read_journal(const std::string& folder);

}  // namespace assay::run
