// SPDX-License-Identifier: Apache-2.0
// Parts of a run on several machines.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::run {

struct Shard {
  std::size_t index = 1;  // 1..count
  std::size_t count = 1;
};
// "2/5".
Result<Shard> parse_shard(const std::string& text);

// Which of `total` variants belong to the shard. Without costs: every count-th. With costs (seconds, one per variant):
// in falling order, each to the shard that has least to do so far; equal ones in their own order, to the lower shard.
std::vector<bool> members_of_shard(const Shard& shard, std::size_t total, const std::vector<double>& costs);

// A shard that the environment states, as other test runners and CI systems do.
struct EnvironmentShard {
  Shard shard;
  std::string source;       // the variables that say so
  std::string status_file;  // to be made, as a sign that shards are understood; "": none
};
// TEST_TOTAL_SHARDS and TEST_SHARD_INDEX (Bazel), GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX (GoogleTest), CI_NODE_TOTAL
// and CI_NODE_INDEX (GitLab), SLURM_ARRAY_TASK_COUNT, _ID, _MIN and _STEP. Nothing where none of them is set, or the
// total is 1. Errors: half a pair, a value out of its range, two systems that do not say the same.
using Environment = std::map<std::string, std::string>;
Result<std::optional<EnvironmentShard>> shard_of_environment(const Environment& environment);

// The variables above, of this process.
Environment shard_variables();

}  // namespace assay::run
