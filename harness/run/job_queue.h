// SPDX-License-Identifier: Apache-2.0
// Which job a free worker takes next.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/run/pool.h"

namespace assay::run {

// Work for a job does not grow with the number of cases or groups.
class JobQueue {
 public:
  explicit JobQueue(const std::vector<PoolJob>& jobs);
  bool empty() const { return left_ == 0; }
  // Of the worker's group, else an untouched group of its case, else one of a case that nobody has begun, else of
  // another case, else of the longest group that another worker is at. `last`: the worker's previous job, or nothing.
  std::optional<std::size_t> take(std::optional<std::size_t> last);

 private:
  struct Group {
    std::uint32_t case_index = 0;
    std::vector<std::uint32_t> jobs;  // in order; taken from `next` on
    std::size_t next = 0;
    bool touched = false;
    std::size_t left() const { return jobs.size() - next; }
  };
  struct Case {
    std::vector<std::uint32_t> groups;  // in order
    std::size_t next = 0;               // the groups before are touched
    bool touched = false;
  };
  std::size_t take_from(std::uint32_t group);
  std::optional<std::uint32_t> untouched_of(Case& of);

  std::vector<Group> groups_;
  std::vector<Case> cases_;
  std::size_t next_case_ = 0;            // the cases before are touched
  std::size_t next_group_ = 0;           // the groups before are touched
  std::vector<std::uint32_t> group_of_;  // by job
  std::vector<std::uint32_t> open_;      // touched groups with jobs left, and some without
  std::size_t left_ = 0;
};

}  // namespace assay::run
