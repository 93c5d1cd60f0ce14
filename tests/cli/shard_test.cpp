// SPDX-License-Identifier: Apache-2.0
// Shards and what joins them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Shards : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_good_case();
  }
  void run_shards(const std::string& flags = "") const {
    for (const char* shard : {"1", "2", "3"}) {
      const Ran ran =
          shell(std::string("assay run cases --no-timing -o part") + shard + " --shard " + shard + "/3 " + flags);
      ASSERT_EQ(ran.code, 0) << ran.err;
    }
  }
  json results(const std::string& folder) const { return json::parse(read(folder + "/results.json")); }
};

TEST_F(Shards, TogetherAreTheWhole) {
  ASSERT_EQ(shell("assay run cases --no-timing -o whole").code, 0);
  run_shards();
  const Ran ran = shell("assay merge part3 part1 part2 -o merged");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json merged = results("merged");
  std::set<std::string> names;
  const json whole = results("whole");
  for (const json& result : whole.at("results")) {
    names.insert(result.at("name"));
  }
  std::set<std::string> found;
  for (const json& result : merged.at("results")) {
    found.insert(result.at("name"));
    EXPECT_GE(result.at("shard").get<int>(), 1);
  }
  EXPECT_EQ(found, names);
  EXPECT_EQ(merged.at("results").size(), names.size());
  ASSERT_EQ(merged.at("merged_from").size(), 3U);
  EXPECT_EQ(merged.at("merged_from")[0].at("shard"), 1);
  EXPECT_TRUE(merged.at("merged_from")[0].at("host").contains("cpu"));
  EXPECT_EQ(json::parse(read("merged/verdict.json")).at("exit_code"), 0);
  EXPECT_EQ(json::parse(read("merged/durations.json")).at("durations_s").size(), names.size());
}

TEST_F(Shards, MergeRefusesWhatIsNotTheWhole) {
  run_shards();
  ASSERT_EQ(shell("assay run cases --no-timing -o plain").code, 0);
  ASSERT_EQ(shell("assay run cases --no-timing -o half --shard 1/2").code, 0);
  ASSERT_EQ(shell("assay run cases --no-timing -o other --shard 3/3 --filter safe").code, 0);
  ASSERT_EQ(shell("mkdir killed; cp part3/results.jsonl killed").code, 0);
  ASSERT_EQ(shell("cp -r part2 many; sed -Ei 's/(\"count\": *)3/\\11000000000/' many/results.json").code, 0);
  struct Row {
    const char* folders;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{{"part1 part2", "shard 3 of 3 missing"},
                                         {"part2", "shards 1, 3 of 3 missing"},
                                         {"many", "9, 20, 21 and 999999979 more of 1000000000 missing"},
                                         {"part1 part2 part2 part3", "are both shard 2/3"},
                                         {"part1 part2 half", "shards of different runs"},
                                         {"part1 part2 other", "different selections"},
                                         {"part1 part2 plain", "plain is no shard"},
                                         {"part1 part2 killed", "killed has no results.json"},
                                         {"part1 part2 nowhere", "nowhere"}}) {
    const Ran ran = shell(std::string("assay merge -o merged ") + row.folders);
    EXPECT_EQ(ran.code, 2) << row.folders;
    EXPECT_THAT(ran.err, HasSubstr(row.says));
    EXPECT_FALSE(exists("merged"));
  }
  EXPECT_EQ(shell("assay merge part1 part2 part3 -o part1").code, 2);
}

TEST_F(Shards, MergeRefusesAnOverlap) {
  run_shards();
  json overlapping = results("part2");
  overlapping["results"].push_back(results("part1").at("results")[0]);
  write("part2/results.json", overlapping.dump());
  const Ran ran = shell("assay merge part1 part2 part3 -o merged");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is in part1 and in part2"));
}

TEST_F(Shards, MergeRefusesCasesThatDiffer) {
  for (const char* shard : {"1", "2"}) {
    ASSERT_EQ(shell(std::string("assay run cases --no-timing -o part") + shard + " --shard " + shard + "/2").code, 0);
    ASSERT_EQ(shell("sed -i 's/\"at_most\": 130/\"at_most\": 131/' cases/good.json").code, 0);
  }
  const Ran ran = shell("assay merge part1 part2 -o merged");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cases/good.json of case good was not the same for part1 and part2"));
}

// Runners keep their checkouts in folders of their own.
TEST_F(Shards, MergeComparesCasesAcrossFolders) {
  ASSERT_EQ(shell("mkdir other && cp -r cases other/cases").code, 0);
  ASSERT_EQ(shell("assay run cases --no-timing -o part1 --shard 1/2").code, 0);
  ASSERT_EQ(shell("assay run \"$PWD/other/cases\" --no-timing -o part2 --shard 2/2").code, 0);
  EXPECT_EQ(shell("assay merge part1 part2 -o same").code, 0);
  ASSERT_EQ(shell("sed -i 's/\"at_most\": 130/\"at_most\": 131/' other/cases/good.json").code, 0);
  ASSERT_EQ(shell("assay run \"$PWD/other/cases\" --no-timing -o changed --shard 2/2").code, 0);
  const Ran ran = shell("assay merge part1 changed -o merged");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("good.json of case good was not the same for part1 and changed"));
}

TEST_F(Shards, AloneIsTheWhole) {
  ASSERT_EQ(shell("assay run cases --no-timing -o one --shard 1/1").code, 0);
  ASSERT_EQ(shell("CI_NODE_TOTAL=1 assay run cases --no-timing -o job").code, 0);
  for (const char* folder : {"one", "job"}) {
    EXPECT_EQ(shell(std::string("assay merge ") + folder + " -o merged").code, 0) << folder;
    EXPECT_EQ(results("merged").at("results").size(), results(folder).at("results").size());
  }
}

TEST_F(Shards, BadDurationsAreSaidBeforeAnythingIsWritten) {
  run_shards();
  write("part2/durations.json", R"({"schema_version": 7})");
  const Ran ran = shell("assay merge part1 part2 part3 -o merged");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("part2/durations.json: schema_version is 7; this assay reads version 1"));
  EXPECT_FALSE(exists("merged"));
}

TEST_F(Shards, WhatCannotBeWrittenIsTheHarnessFault) {
  const Ran ran = shell(
      "TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0 TEST_SHARD_STATUS_FILE=missing/status assay run cases --no-timing -o "
      "part");
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("shard status file"));
}

TEST_F(Shards, AnEmptyShardIsListedAsNothing) {
  const Ran ran = shell("assay list cases --shard 20/20");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(shell("assay list cases --shard 20/20 --filter zzz").code, 5);
}

TEST_F(Shards, AFilterThatFitsNothingIsNoPass) {
  run_shards();
  EXPECT_EQ(shell("assay report part1 --filter zzz").code, 5);
}

TEST_F(Shards, FailureOfAShardIsOneOfTheWhole) {
  write_case("bad", R"("runtime.isa": "scalar")", R"({"metric": "exact"})");
  for (const char* shard : {"1", "2"}) {
    (void)shell(std::string("assay run cases --no-timing -o part") + shard + " --shard " + shard + "/2");
  }
  EXPECT_EQ(shell("assay merge part1 part2 -o merged").code, 1);
}

TEST_F(Shards, EnvironmentStatesThem) {
  const Ran bazel =
      shell("assay list cases",
            {{"TEST_TOTAL_SHARDS", "2"}, {"TEST_SHARD_INDEX", "1"}, {"TEST_SHARD_STATUS_FILE", path("status")}});
  EXPECT_EQ(lines_of(bazel.out).size(), 2U);
  EXPECT_THAT(bazel.err, HasSubstr("shard 2/2, as TEST_SHARD_INDEX and TEST_TOTAL_SHARDS say"));
  EXPECT_TRUE(exists("status"));
  const Ran overridden = shell("assay list cases --shard 1/1", {{"CI_NODE_TOTAL", "2"}, {"CI_NODE_INDEX", "1"}});
  EXPECT_EQ(lines_of(overridden.out).size(), 4U);
  EXPECT_EQ(shell("assay list cases", {{"CI_NODE_TOTAL", "2"}, {"CI_NODE_INDEX", "5"}}).code, 2);
}

// More shards than variants: one that gets none is no failure, since the whole is judged when it is merged.
TEST_F(Shards, MayBeEmpty) {
  std::string folders;
  for (const char* shard : {"1", "2", "3", "4", "5"}) {
    const std::string folder = std::string(" part") + shard;
    EXPECT_EQ(shell("assay run cases --no-timing -o" + folder + " --shard " + shard + "/5").code, 0);
    folders += folder;
  }
  EXPECT_EQ(results("part5").at("results").size(), 0U);
  EXPECT_EQ(shell("assay merge -o merged" + folders).code, 0);
  EXPECT_EQ(results("merged").at("results").size(), 4U);
}

TEST_F(Shards, AreBalancedByRecordedDurations) {
  ASSERT_EQ(shell("assay run cases --no-timing -o whole").code, 0);
  json durations = json::parse(read("whole/durations.json"));
  ASSERT_EQ(durations.at("durations_s").size(), 4U);
  durations["durations_s"].begin().value() = {100.0, 100.0, 100.0};
  const std::string longest = durations["durations_s"].begin().key();
  write("durations.json", durations.dump());
  const Ran first = shell("assay list cases --shard 1/2 --durations durations.json");
  EXPECT_EQ(first.out, longest + "\n");
  const Ran second = shell("assay list cases --shard 2/2 --durations durations.json");
  EXPECT_EQ(lines_of(second.out).size(), 3U);
  EXPECT_EQ(shell("assay list cases --durations nowhere").code, 2);
}

TEST_F(Shards, TimeoutIsLearnedFromDurations) {
  ASSERT_EQ(shell("assay run cases --no-timing -o whole").code, 0);
  const Ran ran = shell("assay run cases --no-timing --durations whole --timeout-floor 0.5 --timeout 60",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("(learned from --durations)"));
  EXPECT_THAT(ran.out, HasSubstr("1 timeout"));
}

}  // namespace
}  // namespace assay::test
