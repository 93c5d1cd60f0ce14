// SPDX-License-Identifier: Apache-2.0
// The results of a run, in memory or behind a source that loads one at a time: a run of 100,000 variants must not need
// the memory of 100,000 records.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reports/variant_result.h"

namespace assay::reports {

// What is known of every result without loading it.
struct ResultFacts {
  Outcome outcome = Outcome::kNotRun;
  bool timed = false;       // has a `timing`
  std::uint32_t group = 0;  // equal for results of one case
  double duration_s = 0;
};

class ResultSource {
 public:
  virtual ~ResultSource() = default;
  virtual std::size_t size() const = 0;
  virtual ResultFacts facts(std::size_t index) const = 0;
  virtual VariantResult load(std::size_t index) const = 0;
};

class ResultList {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = VariantResult;
    using difference_type = std::ptrdiff_t;
    using pointer = const VariantResult*;
    using reference = const VariantResult&;
    Iterator() = default;
    Iterator(const ResultList* list, std::size_t index) : list_(list), index_(index) {}
    // Valid until the iterator moves on.
    const VariantResult& operator*() const;
    const VariantResult* operator->() const { return &**this; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const ResultList* list_ = nullptr;
    std::size_t index_ = 0;
    mutable std::shared_ptr<const VariantResult> loaded_;  // of a source
  };

  ResultList() = default;
  ResultList(std::initializer_list<VariantResult> results) : memory_(results) {}
  explicit ResultList(std::vector<VariantResult> results) : memory_(std::move(results)) {}
  explicit ResultList(std::shared_ptr<const ResultSource> source) : source_(std::move(source)) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return source_ ? source_->size() : memory_.size(); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  // In the order of the results. `group` is only of use in lists with a source.
  ResultFacts facts(std::size_t index) const;
  VariantResult load(std::size_t index) const { return source_ ? source_->load(index) : memory_[index]; }

  // Of a list in memory.
  bool in_memory() const { return source_ == nullptr; }
  void push_back(VariantResult result) { memory_.push_back(std::move(result)); }
  VariantResult& operator[](std::size_t index) { return memory_[index]; }
  const VariantResult& operator[](std::size_t index) const { return memory_[index]; }
  VariantResult& back() { return memory_.back(); }
  const VariantResult& back() const { return memory_.back(); }

 private:
  std::vector<VariantResult> memory_;
  std::shared_ptr<const ResultSource> source_;
};

// The results of one case, in order.
struct CaseGroup {
  std::string name;
  std::vector<const VariantResult*> results;
};

// Cases in order of first appearance. Of lists in memory only.
std::vector<CaseGroup> group_by_case(const std::vector<VariantResult>& results);
std::vector<CaseGroup> group_by_case(const ResultList& results);

// The same, one case in memory at a time: the group is gone after the call.
void for_each_case(const ResultList& results, const std::function<void(const CaseGroup&)>& visit);
std::size_t case_count(const ResultList& results);

// How many results have each outcome; absent outcomes are not listed.
std::map<Outcome, std::int64_t> count_outcomes(const ResultList& results);
bool has_timing(const ResultList& results);

}  // namespace assay::reports
