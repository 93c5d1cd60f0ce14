// SPDX-License-Identifier: Apache-2.0
// `assay run` and `list` as a user meets them.
#include <gmock/gmock.h>

#include <iomanip>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/base/fnv.h"
#include "tests/cli/program.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Run : public ProgramTest {
 protected:
  json results(const std::string& folder = "assay-out") const { return json::parse(read(folder + "/results.json")); }
  std::set<std::string> names(const std::string& folder = "assay-out") const {
    std::set<std::string> found;
    const json run = results(folder);
    for (const json& result : run.at("results")) {
      found.insert(result.at("name").get<std::string>());
    }
    return found;
  }
  std::string outcome(const std::string& name, const std::string& folder = "assay-out") const {
    const json run = results(folder);
    for (const json& result : run.at("results")) {
      if (result.at("name") == name) {
        return result.at("outcome");
      }
    }
    return "absent";
  }
};

TEST_F(Run, DataOnStdoutProgressOnStderr) {
  write_good_case();
  const Ran ran = shell("assay run cases");
  EXPECT_THAT(ran.out, HasSubstr("4 variants of 1 case in"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b[")));
  EXPECT_EQ(ran.err, "assay: reports are in assay-out\n");
  const Ran as_json = shell("assay run cases --json - -o ''");
  EXPECT_EQ(json::parse(as_json.out).at("results").size(), 4U);
  EXPECT_EQ(as_json.err, "");
  EXPECT_THAT(shell("assay run cases --color").out, HasSubstr("\x1b[32m"));
  EXPECT_THAT(shell("assay run cases --no-color").out, Not(HasSubstr("\x1b[")));
}

TEST_F(Run, WritesEveryFile) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases -o deep/out").code, 0);
  for (const char* file : {"results.json", "results.jsonl", "verdict.json", "junit.xml", "summary.md", "timing.csv",
                           "benchmark.json", "report.html", "report.svg"}) {
    EXPECT_TRUE(exists(std::string("deep/out/") + file)) << file;
  }
  EXPECT_EQ(lines_of(read("deep/out/results.jsonl")).size(), 4U);
  const json run = results("deep/out");
  EXPECT_EQ(run.at("schema_version"), 1);
  for (const json& result : run.at("results")) {
    EXPECT_EQ(result.at("outcome"), "pass");
    EXPECT_FALSE(result.at("kernels").empty());
  }
}

TEST_F(Run, ListNamesWhatRunRuns) {
  write_good_case();
  const Ran listed = shell("assay list cases");
  EXPECT_EQ(listed.out,
            "good[quantizer.relu=safe,runtime.isa=scalar]\ngood[quantizer.relu=safe,runtime.isa=avx2]\n"
            "good[quantizer.relu=keep,runtime.isa=scalar]\ngood[quantizer.relu=keep,runtime.isa=avx2]\n");
  EXPECT_EQ(listed.err, "");
  shell("assay run cases");
  const std::vector<std::string> lines = lines_of(listed.out);
  EXPECT_EQ(names(), std::set<std::string>(lines.begin(), lines.end()));
  const json as_json = json::parse(shell("assay list cases --json -").out);
  ASSERT_EQ(as_json.size(), 4U);
  EXPECT_EQ(as_json[1].at("variant").at("runtime.isa"), "avx2");
}

TEST_F(Run, RerunLineRunsExactlyThatVariant) {
  write_case("odd", R"("quantizer.nodes_to_exclude": [["conv"], []], "runtime.isa": ["scalar", "avx2"])",
             R"({"metric": "exact", "output": "y", "unless": {"runtime.isa": "scalar"}, "at_least": 1e9})");
  // A file name that the shell must be protected from, beside names with brackets and quotes.
  ASSERT_EQ(shell("mv cases/odd.json \"cases/it's odd.json\"").code, 0);
  const Ran ran = shell("assay run cases -v --set runtime.precision=exact");
  EXPECT_EQ(ran.code, 1) << ran.err;
  std::size_t reruns = 0;
  for (const std::string& line : lines_of(ran.out)) {
    const std::string mark = "  rerun: ";
    if (line.rfind(mark, 0) != 0 || line.find("avx2") == std::string::npos) {
      continue;
    }
    ++reruns;
    const Ran again = shell(line.substr(mark.size()) + " -o again");
    EXPECT_EQ(again.code, 1) << line << again.err;
    ASSERT_EQ(results("again").at("results").size(), 1U) << line;
    EXPECT_THAT(ran.out, HasSubstr("FAIL " + results("again").at("results")[0].at("name").get<std::string>() + "\n"));
  }
  EXPECT_EQ(reruns, 2U);
}

TEST_F(Run, CrashHangAndKillCostTheirOwnVariantOnly) {
  write_good_case();
  const Ran ran =
      shell("assay run cases -j 2 --timeout 5", {{"ASSAY_TEST_CRASH", "good[quantizer.relu=safe,runtime.isa=scalar]"},
                                                 {"ASSAY_TEST_HANG", "good[quantizer.relu=safe,runtime.isa=avx2]"},
                                                 {"ASSAY_TEST_KILL", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(outcome("good[quantizer.relu=safe,runtime.isa=scalar]"), "crash");
  EXPECT_EQ(outcome("good[quantizer.relu=safe,runtime.isa=avx2]"), "timeout");
  EXPECT_EQ(outcome("good[quantizer.relu=keep,runtime.isa=scalar]"), "crash");
  EXPECT_EQ(outcome("good[quantizer.relu=keep,runtime.isa=avx2]"), "pass");
  EXPECT_THAT(ran.out, HasSubstr("the worker was killed by SIGABRT"));
  EXPECT_THAT(ran.out, HasSubstr("the worker was killed by SIGKILL"));
  EXPECT_THAT(ran.out, HasSubstr("did not end within 5 s"));
}

TEST_F(Run, ResumeRedoesOnlyWhatTheJournalLacks) {
  write_good_case();
  shell("assay run cases");
  const std::vector<std::string> lines = lines_of(read("assay-out/results.jsonl"));
  ASSERT_EQ(lines.size(), 4U);
  // Two whole lines and a torn one, as a kill leaves them; the first is marked to see that it is kept.
  std::string first = lines[0];
  first.replace(first.find("\"duration_s\":"), std::string("\"duration_s\":").size(), "\"duration_s\":12345");
  first.resize(first.rfind(",\"digest\":"));
  std::ostringstream digest;
  digest << std::hex << std::setfill('0') << std::setw(16) << fnv1a(first);
  first += ",\"digest\":\"" + digest.str() + "\"}";
  write("assay-out/results.jsonl", first + "\n" + lines[1] + "\n" + lines[2].substr(0, 50));
  const Ran ran = shell("assay run cases --resume");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(lines_of(read("assay-out/results.jsonl")).size(), 4U);
  const json run = results();
  EXPECT_EQ(run.at("results").size(), 4U);
  double longest = 0;
  for (const json& result : run.at("results")) {
    longest = std::max(longest, result.at("duration_s").get<double>());
  }
  EXPECT_GE(longest, 12345);
}

// kill -9 of the whole run: the journal has what was done, and the earlier run's report is not mistaken for this one's.
TEST_F(Run, KilledRunLeavesItsJournal) {
  write_good_case();
  shell("assay run cases");
  const Ran ran = shell("'" ASSAY_PROGRAM
                        "' run cases -j 1 & pid=$!; sleep 0.1; "
                        "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; kill -KILL $pid; wait $pid",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 128 + 9);
  EXPECT_FALSE(exists("assay-out/results.json"));
  EXPECT_FALSE(exists("assay-out/verdict.json"));
  const Ran report = shell("assay report assay-out --json -");
  EXPECT_EQ(report.code, 130) << report.err;
  EXPECT_LT(json::parse(report.out).at("results").size(), 4U);
  EXPECT_EQ(shell("assay run cases --resume").code, 0);
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(Run, InterruptedRunReportsWhatItHas) {
  write_good_case();
  // The hang keeps the run alive until the signal.
  const Ran ran = shell("'" ASSAY_PROGRAM
                        "' run cases -j 1 & pid=$!; "
                        "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; kill -INT $pid; wait $pid",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 130) << ran.out << ran.err;
  EXPECT_EQ(json::parse(read("assay-out/verdict.json")).at("exit_code"), 130);
  EXPECT_EQ(outcome("good[quantizer.relu=safe,runtime.isa=scalar]"), "pass");
  EXPECT_EQ(outcome("good[quantizer.relu=keep,runtime.isa=scalar]"), "not-run");
  EXPECT_THAT(ran.out, HasSubstr("variants had not been run"));
  EXPECT_EQ(shell("assay run cases --resume").code, 0);
}

TEST_F(Run, ShardsTogetherAreTheWhole) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases --shard 1/3 -o a").code, 0);
  EXPECT_EQ(shell("assay run cases --shard 2/3 -o b").code, 0);
  EXPECT_EQ(shell("assay run cases --shard 3/3 -o c").code, 0);
  std::set<std::string> all;
  std::size_t count = 0;
  for (const char* folder : {"a", "b", "c"}) {
    const std::set<std::string> part = names(folder);
    count += part.size();
    all.insert(part.begin(), part.end());
  }
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(all.size(), 4U);
}

TEST_F(Run, TimingIsReportedWithItsBaseline) {
  write_case("timed", R"("quantizer.format": ["none", "qdq"], "runtime.isa": "scalar")",
             R"({"metric": "max_abs_error", "at_most": 130})",
             R"("timing": {"compare": "quantizer.format", "baseline": "none"})");
  const Ran ran = shell("assay run cases --repetitions 6 --min-time 0.0001");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("baseline"));
  EXPECT_EQ(lines_of(read("assay-out/timing.csv")).size(), 3U);
  const json timing = results().at("results")[1].at("timing");
  EXPECT_EQ(timing.at("n"), 6);
  EXPECT_EQ(timing.at("baseline"), "timed[quantizer.format=none,runtime.isa=scalar]");
  EXPECT_TRUE(timing.at("speedup").is_number());
  EXPECT_TRUE(timing.at("float_median_ns").is_number());
  EXPECT_EQ(json::parse(read("assay-out/benchmark.json")).at("benchmarks").size(), 2U * (6 + 4));
}

TEST_F(Run, ReportRendersARunAgain) {
  write_good_case();
  const Ran first = shell("assay run cases");
  const Ran again = shell("assay report assay-out");
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(shell("assay report assay-out/results.json --filter '*avx2]' -o part").code, 0);
  EXPECT_EQ(names("part").size(), 2U);
  shell("rm assay-out/results.json");
  EXPECT_EQ(shell("assay report assay-out").code, 0);  // from the journal
}

}  // namespace
}  // namespace assay::test
