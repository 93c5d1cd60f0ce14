// SPDX-License-Identifier: Apache-2.0
// results.jsonl of an output folder: one result a line, appended as it arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "harness/run/journal_line.h"
#include "reports/record.h"

namespace assay::run {

// Where a line of a journal is.
struct Extent {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;  // bytes, its line end included
};

// The journal of the run that owns the folder. Whoever has one is alone: a second process is refused until this one
// closes it or ends, in whatever way. (The lock is fcntl's: a forked worker does not hold it. It would be lost if this
// process opened and closed the file a second time, so everything goes through this one descriptor.)
class Journal {
 public:
  // Makes the file if there is none, and changes nothing in one that is there. Errors: kIo, with the process that has
  // the folder.
  static Result<Journal> open(const std::string& folder);
  // One in a file that has no name and goes with the process. Errors: kIo.
  static Result<Journal> unnamed();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // What makes the results that are appended from now on.
  void set_maker(reports::Json made_by) { made_by_ = std::move(made_by); }
  // Visits every whole line that is a result, in order; of a name that comes twice the last one counts. Gives the
  // number of lines that are none: damaged, altered, or cut off at the end. `damaged` is told of all but the last kind.
  using Visitor = std::function<void(JournalEntry entry, const Extent& extent)>;
  Result<std::size_t> for_each(const Visitor& visit, const std::function<void(const Extent&)>& damaged = {}) const;
  Result<reports::VariantResult> read(const Extent& extent) const;
  // Cuts off a torn last line, so that the next one begins a line of its own.
  Status repair();
  Status clear();
  // Puts these lines behind those of kDamagedName and blanks them here: they are said once. Errors: kIo; a line is then
  // in both places or still here.
  Status set_aside(const std::vector<Extent>& damaged);
  // `runtimes`: the external runtimes that made it with (maker.h), if any. On failure nothing of the line is left in
  // the file.
  Result<Extent> append(const reports::VariantResult& result, const reports::Json& runtimes = {});

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  Status cut(std::uint64_t size);
  std::string path_;
  reports::Json made_by_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;  // of the file
};

// In the folder of a journal: its lines that could not be read, as they were.
inline constexpr char kDamagedName[] = "results.damaged.jsonl";

struct JournalContents {
  std::vector<reports::VariantResult> results;  // the last line of each name
  std::size_t lost = 0;                         // lines that are no whole result: damaged, altered or cut off
};
// Nothing if there is no journal.
Result<JournalContents> read_journal(const std::string& folder);

// An error (kIo) where another process's run writes to the folder.
Status check_not_running(const std::string& folder);

}  // namespace assay::run
