// SPDX-License-Identifier: Apache-2.0
// The shards of a run, joined.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "reports/record.h"

namespace assay::run {

// One run of all shards: their results in the order of the shards, each with the shard it came from; the host of each
// shard is in `merged_from`. It is interrupted where one of them was, and has the first harness error there is.
// Errors (kInvalidArgument) name the folder: no results.json, a run that was no shard, a shard that is missing or there
// twice, shards of different selections or versions of assay, a variant in two shards or in none, a file that was not
// the same for two shards.
Result<reports::RunRecord> merge_runs(const std::vector<std::string>& folders);

// The builds of a merged run and their shards where there is more than one, else "". One version is built anew on each
// machine of a pipeline, in folders that need not be the same, which gives builds of their own.
std::string different_builds(const reports::RunRecord& merged);

}  // namespace assay::run
