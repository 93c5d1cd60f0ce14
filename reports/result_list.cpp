// SPDX-License-Identifier: Apache-2.0
#include "reports/result_list.h"

#include <algorithm>
#include <span>

namespace assay::reports {
namespace {

std::vector<CaseGroup> grouped(std::span<const VariantResult> results) {
  std::vector<CaseGroup> groups;
  std::map<std::string, std::size_t> positions;
  for (const VariantResult& result : results) {
    const auto [position, added] = positions.try_emplace(result.case_name, groups.size());
    if (added) {
      groups.push_back({result.case_name, {}});
    }
    groups[position->second].results.push_back(&result);
  }
  return groups;
}

// The results of each case, by their indices, in order of first appearance.
std::vector<std::vector<std::uint32_t>> indices_by_case(const ResultList& results) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::map<std::uint32_t, std::size_t> positions;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [position, added] = positions.try_emplace(results.facts(i).group, groups.size());
    if (added) {
      groups.emplace_back();
    }
    groups[position->second].push_back(static_cast<std::uint32_t>(i));
  }
  return groups;
}

}  // namespace

const VariantResult& ResultList::Iterator::operator*() const {
  if (list_->in_memory()) {
    return list_->memory_[index_];
  }
  if (!loaded_) {
    loaded_ = std::make_shared<const VariantResult>(list_->source_->load(index_));
  }
  return *loaded_;
}

ResultList::Iterator& ResultList::Iterator::operator++() {
  ++index_;
  loaded_.reset();
  return *this;
}

ResultFacts ResultList::facts(std::size_t index) const {
  if (source_) {
    return source_->facts(index);
  }
  const VariantResult& result = memory_[index];
  return {.outcome = result.outcome, .timed = result.timing.has_value(), .group = 0, .duration_s = result.duration_s};
}

std::vector<CaseGroup> group_by_case(const std::vector<VariantResult>& results) { return grouped(results); }

std::vector<CaseGroup> group_by_case(const ResultList& results) {
  return results.empty() ? std::vector<CaseGroup>() : grouped({&results[0], results.size()});
}

void for_each_case(const ResultList& results, const std::function<void(const CaseGroup&)>& visit) {
  if (results.in_memory()) {
    std::ranges::for_each(group_by_case(results), visit);
    return;
  }
  for (const std::vector<std::uint32_t>& indices : indices_by_case(results)) {
    std::vector<VariantResult> loaded;
    loaded.reserve(indices.size());
    for (const std::uint32_t index : indices) {
      loaded.push_back(results.load(index));
    }
    std::ranges::for_each(grouped(loaded), visit);
  }
}

std::size_t case_count(const ResultList& results) {
  return results.in_memory() ? group_by_case(results).size() : indices_by_case(results).size();
}

std::map<Outcome, std::int64_t> count_outcomes(const ResultList& results) {
  std::map<Outcome, std::int64_t> counts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    ++counts[results.facts(i).outcome];
  }
  return counts;
}

bool has_timing(const ResultList& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results.facts(i).timed) {
      return true;
    }
  }
  return false;
}

}  // namespace assay::reports
