// SPDX-License-Identifier: Apache-2.0
// The results of a run as they come in. They are kept in the journal, or in a file without a name where there is none,
// and loaded one at a time; in memory is what little every result needs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/journal.h"
#include "reports/result_list.h"

namespace assay::run {

class ResultStore {
 public:
  // `blank(i)`: the record of variant i before anything is found out. `rerun(i)`: the line that reruns it, which
  // depends on how the program was called, so that a resumed run has its own.
  using Blank = std::function<reports::VariantResult(std::size_t index)>;
  using RerunLine = std::function<std::string(std::size_t index)>;
  ResultStore(std::size_t size, Blank blank, RerunLine rerun);

  // From now on, `put` writes to the journal what is to be reported.
  void keep_in(Journal journal) { journal_ = std::move(journal); }
  Journal* journal() { return journal_ ? &*journal_ : nullptr; }

  std::size_t size() const { return entries_.size(); }
  bool done(std::size_t index) const { return entries_[index].done; }
  reports::ResultFacts facts(std::size_t index) const { return entries_[index].facts; }
  reports::VariantResult load(std::size_t index) const;
  void set_group(std::size_t index, std::uint32_t group) { entries_[index].facts.group = group; }

  // Keeps the result. `report`: it belongs in the journal, with the external runtimes that made it. On an error of the
  // file the result is kept in memory.
  Status put(std::size_t index, const reports::VariantResult& result, bool report, const reports::Json& runtimes = {});
  // Takes over a line that the journal has already.
  void adopt(std::size_t index, const reports::VariantResult& result, const Extent& extent);

  // As if it had never been put.
  void forget(std::size_t index);

  // The results of those indices, in this order, as a list that keeps the store alive.
  static reports::ResultList list(std::shared_ptr<const ResultStore> store, std::vector<std::uint32_t> indices);

 private:
  struct Entry {
    reports::ResultFacts facts;
    Extent extent;  // length 0: in memory, or blank
    bool in_journal = false;
    bool done = false;
  };
  void note(std::size_t index, const reports::VariantResult& result);

  std::vector<Entry> entries_;
  Blank blank_;
  RerunLine rerun_;
  std::optional<Journal> journal_;
  std::optional<Journal> spill_;  // the file without a name
  std::map<std::size_t, reports::VariantResult> memory_;
};

}  // namespace assay::run
