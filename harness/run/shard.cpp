// SPDX-License-Identifier: Apache-2.0
#include "harness/run/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <queue>

namespace assay::run {
namespace {

// One system's variables. `first`: the number of the first shard, itself in a variable for Slurm.
struct System {
  const char* total;
  const char* index;
  std::size_t first;
  const char* first_variable;
  const char* step_variable;
  const char* status_file;
};

constexpr std::array<System, 4> kSystems{{
    {"TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", 0, nullptr, nullptr, "TEST_SHARD_STATUS_FILE"},
    {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", 0, nullptr, nullptr, "GTEST_SHARD_STATUS_FILE"},
    {"CI_NODE_TOTAL", "CI_NODE_INDEX", 1, nullptr, nullptr, nullptr},
    {"SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_ID", 0, "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP", nullptr},
}};

std::string value_of(const Environment& environment, const char* name) {
  const auto found = name == nullptr ? environment.end() : environment.find(name);
  return found == environment.end() ? "" : found->second;
}

Result<std::size_t> number_of(const Environment& environment, const char* name, std::size_t fallback) {
  const std::string text = value_of(environment, name);
  if (text.empty()) {
    return fallback;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return invalid_argument(fmt::format("{} is a whole number, found '{}'; --shard i/n overrides it", name, text));
  }
  return number;
}

Result<std::optional<EnvironmentShard>> shard_of(const System& system, const Environment& environment) {
  const std::string total_text = value_of(environment, system.total);
  const std::string index_text = value_of(environment, system.index);
  if (total_text.empty() && index_text.empty()) {
    return std::optional<EnvironmentShard>();
  }
  ASSAY_ASSIGN(const std::size_t total, number_of(environment, system.total, 1));
  // GitLab states a total of 1, and no index, for jobs that are not parallel.
  if (total <= 1 && index_text.empty()) {
    return std::optional<EnvironmentShard>();
  }
  if (total_text.empty() || index_text.empty()) {
    return invalid_argument(fmt::format("{} is set, {} is not; --shard i/n overrides both",
                                        total_text.empty() ? system.index : system.total,
                                        total_text.empty() ? system.total : system.index));
  }
  ASSAY_ASSIGN(const std::size_t index, number_of(environment, system.index, 0));
  ASSAY_ASSIGN(const std::size_t first, number_of(environment, system.first_variable, system.first));
  ASSAY_ASSIGN(const std::size_t step, number_of(environment, system.step_variable, 1));
  if (step == 0 || index < first || (index - first) % step != 0 || (index - first) / step >= total) {
    return invalid_argument(fmt::format("{}={} is no index of {}={} shards from {} on; --shard i/n overrides both",
                                        system.index, index, system.total, total, first));
  }
  if (total == 1) {
    return std::optional<EnvironmentShard>();
  }
  return std::optional(EnvironmentShard{.shard = {.index = (index - first) / step + 1, .count = total},
                                        .source = fmt::format("{} and {}", system.index, system.total),
                                        .status_file = value_of(environment, system.status_file)});
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, shard.count);
    if (second.ec == std::errc() && second.ptr == end && shard.index >= 1 && shard.index <= shard.count) {
      return shard;
    }
  }
  return invalid_argument(fmt::format("a shard is i/n with 1 <= i <= n, as 2/5; found '{}'", text));
}

std::vector<bool> members_of_shard(const Shard& shard, std::size_t total, const std::vector<double>& costs) {
  std::vector<bool> members(total);
  if (costs.empty()) {
    for (std::size_t i = shard.index - 1; i < total; i += shard.count) {
      members[i] = true;
    }
    return members;
  }
  std::vector<std::size_t> order(total);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return costs[i]; });
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t s = 1; s <= shard.count; ++s) {
    loads.emplace(0.0, s);
  }
  for (const std::size_t i : order) {
    const auto [seconds, least] = loads.top();
    loads.pop();
    members[i] = least == shard.index;
    loads.emplace(seconds + costs[i], least);
  }
  return members;
}

Result<std::optional<EnvironmentShard>> shard_of_environment(const Environment& environment) {
  std::optional<EnvironmentShard> found;
  for (const System& system : kSystems) {
    ASSAY_ASSIGN(std::optional<EnvironmentShard> stated, shard_of(system, environment));
    if (!stated) {
      continue;
    }
    if (found && (found->shard.index != stated->shard.index || found->shard.count != stated->shard.count)) {
      return invalid_argument(fmt::format("{} say shard {}/{}, {} say {}/{}; --shard i/n settles it", found->source,
                                          found->shard.index, found->shard.count, stated->source, stated->shard.index,
                                          stated->shard.count));
    }
    if (!found) {
      found = std::move(stated);
    }
  }
  return found;
}

Environment shard_variables() {
  Environment environment;
  for (const System& system : kSystems) {
    for (const char* name :
         {system.total, system.index, system.first_variable, system.step_variable, system.status_file}) {
      const char* value = name == nullptr ? nullptr : std::getenv(name);
      if (value != nullptr) {
        environment[name] = value;
      }
    }
  }
  return environment;
}

}  // namespace assay::run
