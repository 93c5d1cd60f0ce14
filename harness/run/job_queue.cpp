// SPDX-License-Identifier: Apache-2.0
#include "harness/run/job_queue.h"

#include <algorithm>
#include <unordered_map>

namespace assay::run {

JobQueue::JobQueue(const std::vector<PoolJob>& jobs) : left_(jobs.size()) {
  std::unordered_map<std::uint32_t, std::uint32_t> groups;  // by key
  std::unordered_map<std::uint32_t, std::uint32_t> cases;
  for (std::uint32_t job = 0; job < jobs.size(); ++job) {
    const auto [group, new_group] = groups.try_emplace(jobs[job].group_key, static_cast<std::uint32_t>(groups_.size()));
    if (new_group) {
      const auto [of_case, new_case] = cases.try_emplace(jobs[job].case_key, static_cast<std::uint32_t>(cases_.size()));
      if (new_case) {
        cases_.emplace_back();
      }
      cases_[of_case->second].groups.push_back(group->second);
      groups_.push_back({.case_index = of_case->second, .jobs = {}, .next = 0, .touched = false});
    }
    groups_[group->second].jobs.push_back(job);
    group_of_.push_back(group->second);
  }
}

std::size_t JobQueue::take_from(std::uint32_t index) {
  Group& group = groups_[index];
  if (!group.touched) {
    group.touched = true;
    cases_[group.case_index].touched = true;
    open_.push_back(index);
  }
  --left_;
  return group.jobs[group.next++];
}

std::optional<std::uint32_t> JobQueue::untouched_of(Case& of) {
  while (of.next < of.groups.size() && groups_[of.groups[of.next]].touched) {
    ++of.next;
  }
  return of.next == of.groups.size() ? std::nullopt : std::optional(of.groups[of.next]);
}

std::optional<std::size_t> JobQueue::take(std::optional<std::size_t> last) {
  if (left_ == 0) {
    return std::nullopt;
  }
  if (last) {
    const std::uint32_t own = group_of_[*last];
    if (groups_[own].left() > 0) {
      return take_from(own);
    }
    if (const auto group = untouched_of(cases_[groups_[own].case_index])) {
      return take_from(*group);
    }
  }
  while (next_case_ < cases_.size() && cases_[next_case_].touched) {
    ++next_case_;
  }
  if (next_case_ < cases_.size()) {
    return take_from(cases_[next_case_].groups.front());
  }
  while (next_group_ < groups_.size() && groups_[next_group_].touched) {
    ++next_group_;
  }
  if (next_group_ < groups_.size()) {
    return take_from(static_cast<std::uint32_t>(next_group_));
  }
  std::erase_if(open_, [&](std::uint32_t group) { return groups_[group].left() == 0; });
  return take_from(*std::ranges::max_element(open_, {}, [&](std::uint32_t group) { return groups_[group].left(); }));
}

}  // namespace assay::run
