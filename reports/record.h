// SPDX-License-Identifier: Apache-2.0
// The record of one run: what every renderer reads. It knows nothing of the engine or the harness.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "reports/result_list.h"
#include "reports/variant_result.h"

namespace assay::reports {

inline constexpr int kSchemaVersion = 1;

// One of several parts of a run.
struct ShardInfo {
  std::size_t index = 1;  // 1..count
  std::size_t count = 1;
  std::size_t total = 0;  // variants of all shards together
  std::string selection;  // 16 hex digits: equal for the shards of one selection
};

struct RunRecord {
  Json host = Json::object();  // cpu, features, cores, memory, versions
  std::string command;
  std::string started;  // UTC, ISO 8601
  double duration_s = 0;
  bool interrupted = false;
  std::string harness_error;  // not empty: the harness or its environment failed
  std::optional<ShardInfo> shard;
  Json merged_from = Json::array();  // of a merged run: {"shard", "host", "command", "started", "duration_s"} each
  ResultList results;
};

// "72 pass, 24 xfail".
std::string counts_text(const std::map<Outcome, std::int64_t>& counts);

}  // namespace assay::reports
