// SPDX-License-Identifier: Apache-2.0
#include "harness/run/result_store.h"

#include <utility>

namespace assay::run {
namespace {

class ListedResults : public reports::ResultSource {
 public:
  ListedResults(std::shared_ptr<const ResultStore> store, std::vector<std::uint32_t> indices)
      : store_(std::move(store)), indices_(std::move(indices)) {}
  std::size_t size() const override { return indices_.size(); }
  reports::ResultFacts facts(std::size_t index) const override { return store_->facts(indices_[index]); }
  reports::VariantResult load(std::size_t index) const override { return store_->load(indices_[index]); }

 private:
  std::shared_ptr<const ResultStore> store_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace

ResultStore::ResultStore(std::size_t size, Blank blank, RerunLine rerun)
    : entries_(size), blank_(std::move(blank)), rerun_(std::move(rerun)) {}

reports::VariantResult ResultStore::load(std::size_t index) const {
  const Entry& entry = entries_[index];
  if (const auto found = memory_.find(index); found != memory_.end()) {
    return found->second;
  }
  if (entry.extent.length > 0) {
    Result<reports::VariantResult> read = (entry.in_journal ? *journal_ : *spill_).read(entry.extent);
    if (read.ok()) {
      reports::VariantResult result = std::move(read).value();
      result.rerun = rerun_(index);
      return result;
    }
    reports::VariantResult lost = blank_(index);
    lost.outcome = entry.facts.outcome;
    lost.reason = "the record is lost: " + read.error().message;
    return lost;
  }
  return blank_(index);
}

void ResultStore::note(std::size_t index, const reports::VariantResult& result) {
  Entry& entry = entries_[index];
  entry.facts.outcome = result.outcome;
  entry.facts.timed = result.timing.has_value();
  entry.facts.duration_s = result.duration_s;
  entry.done = true;
}

Status ResultStore::put(std::size_t index, const reports::VariantResult& result, bool report,
                        const reports::Json& runtimes) {
  note(index, result);
  Entry& entry = entries_[index];
  const bool in_journal = report && journal_.has_value();
  if (!in_journal && !spill_) {
    Result<Journal> spill = Journal::unnamed();
    if (spill.ok()) {
      spill_ = std::move(spill).value();
    }
  }
  Journal* const file = in_journal ? &*journal_ : spill_ ? &*spill_ : nullptr;
  const Result<Extent> written =
      file == nullptr ? Result<Extent>(io_error("no temporary file")) : file->append(result, runtimes);
  if (written.ok()) {
    memory_.erase(index);
    entry.extent = written.value();
    entry.in_journal = in_journal;
    return {};
  }
  memory_[index] = result;
  return in_journal ? Status(written.error()) : Status();
}

void ResultStore::adopt(std::size_t index, const reports::VariantResult& result, const Extent& extent) {
  note(index, result);
  entries_[index].extent = extent;
  entries_[index].in_journal = true;
}

void ResultStore::forget(std::size_t index) {
  const std::uint32_t group = entries_[index].facts.group;
  entries_[index] = Entry{};
  entries_[index].facts.group = group;
  memory_.erase(index);
}

reports::ResultList ResultStore::list(std::shared_ptr<const ResultStore> store, std::vector<std::uint32_t> indices) {
  return reports::ResultList(std::make_shared<const ListedResults>(std::move(store), std::move(indices)));
}

}  // namespace assay::run
