// SPDX-License-Identifier: Apache-2.0
#include "harness/run/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace assay::run {
namespace {

using testing::HasSubstr;

double load_of(const std::vector<bool>& members, const std::vector<double>& costs) {
  double seconds = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    seconds += members[i] ? costs[i] : 0;
  }
  return seconds;
}

// Whatever the costs: each variant in one shard, and no shard busier than the mean and the longest variant together.
TEST(ShardMembers, ArePartsOfTheWholeAndBalanced) {
  const auto seed = static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const std::size_t total = random() % 60;
    const std::size_t count = 1 + random() % 7;
    std::vector<double> costs(round % 4 == 0 ? 0 : total);
    std::ranges::generate(costs, [&] { return static_cast<double>(random() % 1000) / 10; });
    std::vector<int> taken(total);
    for (std::size_t index = 1; index <= count; ++index) {
      const std::vector<bool> members = members_of_shard({.index = index, .count = count}, total, costs);
      ASSERT_EQ(members.size(), total);
      for (std::size_t i = 0; i < total; ++i) {
        taken[i] += members[i] ? 1 : 0;
      }
      if (!costs.empty()) {
        const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(count);
        EXPECT_LE(load_of(members, costs), mean + *std::ranges::max_element(costs) + 1e-6);
      }
      EXPECT_EQ(members_of_shard({.index = index, .count = count}, total, costs), members);
    }
    EXPECT_TRUE(std::ranges::all_of(taken, [](int times) { return times == 1; }));
  }
}

TEST(ShardMembers, LongVariantHasAShardForItself) {
  const std::vector<double> costs{1, 1, 10, 1, 1};
  EXPECT_EQ(members_of_shard({.index = 1, .count = 2}, 5, costs),
            (std::vector<bool>{false, false, true, false, false}));
  EXPECT_EQ(members_of_shard({.index = 2, .count = 2}, 5, costs), (std::vector<bool>{true, true, false, true, true}));
}

TEST(ShardOfEnvironment, ReadsFourSystems) {
  struct Row {
    Environment environment;
    std::size_t index;
    std::size_t count;
  };
  const std::vector<Row> rows{
      {{{"TEST_TOTAL_SHARDS", "3"}, {"TEST_SHARD_INDEX", "0"}}, 1, 3},
      {{{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", "2"}}, 3, 3},
      {{{"CI_NODE_TOTAL", "4"}, {"CI_NODE_INDEX", "4"}}, 4, 4},
      {{{"SLURM_ARRAY_TASK_COUNT", "5"}, {"SLURM_ARRAY_TASK_ID", "0"}}, 1, 5},
      {{{"SLURM_ARRAY_TASK_COUNT", "5"}, {"SLURM_ARRAY_TASK_ID", "7"}, {"SLURM_ARRAY_TASK_MIN", "5"}}, 3, 5},
      {{{"SLURM_ARRAY_TASK_COUNT", "3"},
        {"SLURM_ARRAY_TASK_ID", "14"},
        {"SLURM_ARRAY_TASK_MIN", "10"},
        {"SLURM_ARRAY_TASK_STEP", "2"}},
       3,
       3},
      {{{"CI_NODE_TOTAL", "2"}, {"CI_NODE_INDEX", "1"}, {"GTEST_TOTAL_SHARDS", "2"}, {"GTEST_SHARD_INDEX", "0"}}, 1, 2},
  };
  for (const Row& row : rows) {
    const auto found = shard_of_environment(row.environment);
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_TRUE(found.value().has_value());
    EXPECT_EQ(found.value()->shard.index, row.index);
    EXPECT_EQ(found.value()->shard.count, row.count);
  }
}

TEST(ShardOfEnvironment, OneOfOneIsNone) {
  for (const Environment& environment :
       {Environment{}, Environment{{"CI_NODE_TOTAL", "1"}}, Environment{{"CI_NODE_TOTAL", "1"}, {"CI_NODE_INDEX", "1"}},
        Environment{{"TEST_TOTAL_SHARDS", "1"}, {"TEST_SHARD_INDEX", "0"}}}) {
    const auto found = shard_of_environment(environment);
    ASSERT_TRUE(found.ok());
    EXPECT_FALSE(found.value().has_value());
  }
}

TEST(ShardOfEnvironment, BazelWantsItsFile) {
  const auto found = shard_of_environment(
      {{"TEST_TOTAL_SHARDS", "2"}, {"TEST_SHARD_INDEX", "1"}, {"TEST_SHARD_STATUS_FILE", "/tmp/status"}});
  EXPECT_EQ(found.value()->status_file, "/tmp/status");
}

TEST(ShardOfEnvironment, ErrorsNameTheVariables) {
  struct Row {
    Environment environment;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {{{"TEST_TOTAL_SHARDS", "2"}}, "TEST_TOTAL_SHARDS is set, TEST_SHARD_INDEX is not"},
           {{{"GTEST_SHARD_INDEX", "2"}}, "GTEST_SHARD_INDEX is set, GTEST_TOTAL_SHARDS is not"},
           {{{"CI_NODE_TOTAL", "2"}, {"CI_NODE_INDEX", "0"}}, "CI_NODE_INDEX=0 is no index of CI_NODE_TOTAL=2 shards"},
           {{{"CI_NODE_TOTAL", "2"}, {"CI_NODE_INDEX", "3"}}, "CI_NODE_INDEX=3"},
           {{{"TEST_TOTAL_SHARDS", "two"}, {"TEST_SHARD_INDEX", "0"}}, "found 'two'"},
           {{{"CI_NODE_TOTAL", "2"}, {"CI_NODE_INDEX", "1"}, {"GTEST_TOTAL_SHARDS", "2"}, {"GTEST_SHARD_INDEX", "1"}},
            "say shard"}}) {
    const auto found = shard_of_environment(row.environment);
    ASSERT_FALSE(found.ok()) << row.says;
    EXPECT_THAT(found.error().message, HasSubstr(row.says));
    EXPECT_THAT(found.error().message, HasSubstr("--shard i/n"));
  }
}

}  // namespace
}  // namespace assay::run
