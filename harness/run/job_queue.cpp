// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "harness/run/pool.h"

namespace assay::run {

JobQueue::JobQueue(const std::vector<PoolJob>& jobs) : left_(jobs.size()) {
  std::map<std::string, std::size_t> positions;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto [position, added] = positions.try_emplace(jobs[job].group_key, groups_.size());
    if (added) {
      groups_.push_back({.case_key = jobs[job].case_key, .jobs = {}, .next = 0, .touched = false});
    }
    groups_[position->second].jobs.push_back(job);
    group_of_.push_back(position->second);
  }
}

std::size_t JobQueue::take_from(Group& group) {
  group.touched = true;
  --left_;
  return group.jobs[group.next++];
}

std::optional<std::size_t> JobQueue::take(std::optional<std::size_t> last) {
  if (left_ == 0) {
    return std::nullopt;
  }
  if (last) {
    Group& own = groups_[group_of_[*last]];
    if (own.left() > 0) {
      return take_from(own);
    }
    for (Group& group : groups_) {
      if (!group.touched && group.case_key == own.case_key) {
        return take_from(group);
      }
    }
  }
  // A case that nobody is at comes before one that another worker has loaded.
  const auto case_is_busy = [&](const Group& candidate) {
    return std::ranges::any_of(
        groups_, [&](const Group& group) { return group.touched && group.case_key == candidate.case_key; });
  };
  Group* chosen = nullptr;
  for (Group& group : groups_) {
    if (!group.touched && (chosen == nullptr || (case_is_busy(*chosen) && !case_is_busy(group)))) {
      chosen = &group;
    }
  }
  if (chosen == nullptr) {
    chosen = &*std::ranges::max_element(groups_, {}, &Group::left);
  }
  return take_from(*chosen);
}

}  // namespace assay::run
