// SPDX-License-Identifier: Apache-2.0
// `--resume` after an edit, and signals.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/ir/tensor.h"
#include "harness/spec/data_source.h"
#include "tests/cli/program.h"
#include "tests/harness/run/external/fake_adapter.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Resume : public ProgramTest {
 protected:
  std::string outcomes() const {
    std::string text;
    const json run = json::parse(read("assay-out/results.json"));
    for (const json& result : run.at("results")) {
      text += result.at("outcome").get<std::string>() + " ";
    }
    return text;
  }
};

TEST_F(Resume, EditedCaseIsRunAgain) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases").code, 0);
  const Ran same = shell("assay run cases --resume");
  EXPECT_EQ(same.code, 0);
  EXPECT_THAT(same.err, Not(HasSubstr("discarded")));
  ASSERT_EQ(shell("sed -i 's/\"at_most\": 130/\"at_most\": 0/' cases/good.json").code, 0);
  const Ran ran = shell("assay run cases --resume");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("4 results discarded from the journal"));
  EXPECT_THAT(ran.err, HasSubstr("cases/good.json has changed"));
  EXPECT_EQ(outcomes(), "fail fail fail fail ");
}

TEST_F(Resume, EditedDataAreRunAgain) {
  write_case("data", R"("runtime.isa": ["scalar", "avx2"])", R"({"metric": "max_abs_error", "at_most": 130})");
  ASSERT_EQ(shell("sed -i 's/{\"values\": .*}},/{\"npy\": \"x.npy\"}},/' cases/data.json").code, 0);
  ASSERT_TRUE(spec::save_npy(path("cases/x.npy"), Tensor::from<float>({1, 1, 2, 2}, {-127, 127, 64, -3})).ok());
  EXPECT_EQ(shell("assay run cases").code, 0);
  EXPECT_EQ(outcomes(), "pass pass ");
  // Twice the range that was calibrated: saturates.
  ASSERT_TRUE(spec::save_npy(path("cases/x.npy"), Tensor::from<float>({1, 1, 2, 2}, {-254, 254, 64, -3})).ok());
  const Ran ran = shell("assay run cases --resume");
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("2 results discarded from the journal"));
  EXPECT_THAT(ran.err, HasSubstr("cases/x.npy has changed"));
  EXPECT_EQ(outcomes(), "fail fail ");
}

// What was missing may have come.
TEST_F(Resume, SkippedVariantsAreTriedAgain) {
  write_good_case();
  ASSERT_EQ(shell(R"(sed -i '1s/{/{"needs": {"files": ["late.bin"]}, /' cases/good.json)").code, 0);
  ASSERT_EQ(shell("assay run cases").code, 3);
  EXPECT_EQ(outcomes(), "skip skip skip skip ");
  ASSERT_EQ(shell("assay run cases --resume").code, 3);
  EXPECT_EQ(outcomes(), "skip skip skip skip ");
  ASSERT_EQ(shell("touch cases/late.bin").code, 0);
  const Ran ran = shell("assay run cases --resume");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(outcomes(), "pass pass pass pass ");
}

// A speed-up that nothing reaches is no failure where nothing is to be timed.
TEST_F(Resume, WithoutTimingNoResultIsJudgedByItsTimes) {
  write_case("slow", R"("runtime.isa": ["scalar", "avx2"])", R"({"metric": "max_abs_error", "at_most": 130})");
  ASSERT_EQ(shell(R"(sed -i '1s/{/{"timing": {"compare": "runtime.isa", "baseline": "scalar", )"
                  R"("at_least_speedup": 1e6}, /' cases/slow.json)")
                .code,
            0);
  ASSERT_EQ(shell("assay run cases").code, 1);
  EXPECT_EQ(outcomes(), "pass fail ");
  ASSERT_EQ(shell("assay run cases --resume").code, 1);
  const Ran ran = shell("assay run cases --resume --no-timing");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("judged by its times, which --no-timing leaves out"));
  EXPECT_EQ(outcomes(), "pass pass ");
}

TEST_F(Resume, DamagedLinesAreCounted) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases --no-timing").code, 0);
  ASSERT_EQ(shell("sed -i '1s/\"outcome\":\"pass\"/\"outcome\":\"qqq\"/' assay-out/results.jsonl && "
                  "printf '{\"torn' >> assay-out/results.jsonl")
                .code,
            0);
  const Ran ran = shell("assay run cases --no-timing --resume");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("2 lines of the journal discarded"));
  EXPECT_EQ(outcomes(), "pass pass pass pass ");
}

TEST_F(Resume, ResultsOfAnotherCpuAreMadeAgain) {
  write_case("auto", R"("runtime.isa": "auto", "quantizer.relu": ["safe", "keep"])",
             R"({"metric": "max_abs_error", "at_most": 130})");
  EXPECT_EQ(shell("assay run cases --no-timing", {{"ASSAY_HOST_ISA", "scalar"}}).code, 0);
  const Ran ran = shell("assay run cases --no-timing --resume", {{"ASSAY_HOST_ISA", "sse41"}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("2 results discarded from the journal, to be made again: "));
  EXPECT_THAT(ran.err, HasSubstr("best_isa was scalar, now sse41"));
  const json run = json::parse(read("assay-out/results.json"));
  EXPECT_EQ(run.at("host").at("best_isa"), "sse41");
  for (const json& result : run.at("results")) {
    EXPECT_THAT(result.at("kernels").dump(), HasSubstr(R"("isa":"sse41")")) << result.at("name");
  }
  EXPECT_THAT(shell("assay run cases --no-timing --resume", {{"ASSAY_HOST_ISA", "sse41"}}).err,
              Not(HasSubstr("discarded")));
}

// A copy of the program whose build id says that it is another one.
TEST_F(Resume, ResultsOfAnotherBuildAreMadeAgain) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases --no-timing").code, 0);
  const std::string build = json::parse(read("assay-out/results.json")).at("host").at("build");
  ASSERT_GE(build.size(), 16U);
  std::string id;
  for (std::size_t i = 0; i < build.size(); i += 2) {
    id += static_cast<char>(std::stoi(build.substr(i, 2), nullptr, 16));
  }
  ASSERT_EQ(shell("cp '" ASSAY_PROGRAM "' other").code, 0);
  std::string program = read("other");
  ASSERT_NE(program.find(id), std::string::npos);
  program[program.find(id)] = static_cast<char>(~id[0]);
  write("other", program);
  const Ran ran = shell("./other run cases --no-timing --resume");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("4 results discarded from the journal, to be made again: build was " + build));
  EXPECT_NE(json::parse(read("assay-out/results.json")).at("host").at("build"), build);

  ASSERT_EQ(shell("assay run cases --no-timing -o part1 --shard 1/2 && "
                  "./other run cases --no-timing -o part2 --shard 2/2")
                .code,
            0);
  const Ran merged = shell("assay merge part1 part2 -o merged");
  EXPECT_EQ(merged.code, 0) << merged.err;  // machines of a pipeline build for themselves
  EXPECT_THAT(merged.err, HasSubstr("the shards were made by different builds: assay "));
  EXPECT_THAT(merged.err, HasSubstr("build " + build + " (shard 1)"));
  ASSERT_EQ(shell("sed -i 's/\"assay\": *\"[0-9.]*\"/\"assay\": \"0.0.1\"/' part2/results.json").code, 0);
  const Ran refused = shell("assay merge part1 part2 -o merged2");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("part1 and part2 were made by different versions: assay "));
}

// The adapter says another version than when the results were made; results of assay's own runtime stay.
TEST_F(Resume, ResultsOfAnotherVersionOfAnExternalRuntimeAreMadeAgain) {
  write_case("both", R"("runtime.name": ["assay", "fake"])", R"({"metric": "max_abs_error", "at_most": 1e9})");
  write("fake.py", run::test::kFakeAdapter);
  write(
      "registry.json",
      R"({"runtimes": {"fake": {"command": ["/usr/bin/python3", "./fake.py", "plain"], "requires": ["./fake.py"]}}})");
  const std::map<std::string, std::string> registry = {{"ASSAY_RUNTIMES", path("registry.json")}};
  const Ran first = shell("assay run cases --no-timing", registry);
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(read("assay-out/results.jsonl"), HasSubstr(R"("runtimes":{"fake":"fake 1.2, isa unknown, command )"));
  EXPECT_THAT(read("assay-out/results.json"), Not(HasSubstr("\"runtimes\"")));
  EXPECT_THAT(shell("assay run cases --no-timing --resume", registry).err, Not(HasSubstr("discarded")));

  ASSERT_EQ(shell("sed -i 's/version=\"1.2\"/version=\"1.3\"/' fake.py").code, 0);
  const Ran upgraded = shell("assay run cases --no-timing --resume", registry);
  EXPECT_EQ(upgraded.code, 0) << upgraded.err;
  EXPECT_THAT(upgraded.err, HasSubstr("--resume: 1 result discarded from the journal, to be made again: "
                                      "runtime fake was fake 1.2, isa unknown, command "));
  EXPECT_THAT(upgraded.err, HasSubstr(", now fake 1.3, isa unknown, command "));
  EXPECT_THAT(shell("assay run cases --no-timing --resume", registry).err, Not(HasSubstr("discarded")));

  ASSERT_EQ(shell("sed -i 's/\"plain\"/\"other\"/' registry.json").code, 0);
  EXPECT_THAT(shell("assay run cases --no-timing --resume", registry).err, HasSubstr("1 result discarded"));
  ASSERT_EQ(shell("rm fake.py").code, 0);
  const Ran gone = shell("assay run cases --no-timing --resume", registry);
  EXPECT_THAT(gone.err, HasSubstr("now not on this machine"));
}

TEST_F(Resume, AlteredLinesAreMadeAgain) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases --no-timing").code, 0);
  ASSERT_EQ(shell("sed -i '2s/\"outcome\":\"pass\"/\"outcome\":\"weak\"/' assay-out/results.jsonl").code, 0);
  const Ran ran = shell("assay run cases --no-timing --resume");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("1 line of the journal discarded"));
  EXPECT_EQ(outcomes(), "pass pass pass pass ");
}

// A folder with a journal alone is that of a run that was killed, or goes on.
TEST_F(Resume, AReportOfAKilledRunIsNoPass) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases --no-timing").code, 0);
  ASSERT_EQ(shell("mkdir killed && head -n 2 assay-out/results.jsonl > killed/results.jsonl && printf x >> "
                  "killed/results.jsonl")
                .code,
            0);
  const Ran ran = shell("assay report killed -o report");
  EXPECT_EQ(ran.code, 130);
  EXPECT_THAT(ran.err, HasSubstr("killed or goes on; these are the 2 results of its journal"));
  EXPECT_THAT(ran.err, HasSubstr("killed: 1 line of the journal left out"));
  EXPECT_EQ(json::parse(read("report/verdict.json")).at("exit_code"), 130);
  EXPECT_EQ(json::parse(read("report/results.json")).at("interrupted"), true);
  EXPECT_THAT(read("report/summary.md"), HasSubstr("# assay: interrupted (exit 130)"));
}

TEST_F(Resume, NoReportGoesIntoTheFolderOfALiveRun) {
  write_good_case();
  EXPECT_EQ(shell("assay run cases --no-timing -o done").code, 0);
  const Ran ran = shell("'" ASSAY_PROGRAM
                        "' run cases -j 1 --no-timing & pid=$!; "
                        "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; "
                        "'" ASSAY_PROGRAM "' report done -o assay-out; code=$?; kill -9 $pid; wait $pid; exit $code",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("is in use by another run"));
}

TEST_F(Resume, AnInterruptIsSaidOnceAndAtOnce) {
  write_good_case();
  const Ran ran = shell("'" ASSAY_PROGRAM
                        "' run cases -j 1 & pid=$!; "
                        "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; kill -INT $pid; wait $pid",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 130) << ran.out << ran.err;
  const std::string text = "assay: interrupted, writing reports\n";
  const std::size_t at = ran.err.find(text);
  ASSERT_NE(at, std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find(text, at + 1), std::string::npos);
  EXPECT_LT(at, ran.err.find("reports are in"));
}

TEST_F(Resume, HangupEndsTheRunWithItsReport) {
  write_good_case();
  const Ran ran = shell("'" ASSAY_PROGRAM
                        "' run cases -j 1 & pid=$!; "
                        "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; kill -HUP $pid; wait $pid",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 130) << ran.out << ran.err;
  EXPECT_EQ(json::parse(read("assay-out/verdict.json")).at("exit_code"), 130);
}

TEST_F(Resume, SignalThatComesTwiceLeavesTheReport) {
  write_good_case();
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Ran ran = shell("rm -rf assay-out; '" ASSAY_PROGRAM
                          "' run cases -j 1 & pid=$!; sleep 0.1; "
                          "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; kill -" +
                              std::string(signal) + " $pid; kill -" + signal + " $pid; sleep 0.02; kill -" + signal +
                              " $pid 2>/dev/null; wait $pid",
                          {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
    EXPECT_EQ(ran.code, 130) << signal << ran.out << ran.err;
    EXPECT_EQ(json::parse(read("assay-out/verdict.json")).at("exit_code"), 130) << signal;
  }
}

// A worker must not take the group's signal for its own: that would be a crash in the report.
TEST_F(Resume, SignalToTheWholeGroupIsNoCrash) {
  write_good_case();
  const Ran ran = shell("setsid '" ASSAY_PROGRAM
                        "' run cases -j 1 & pid=$!; "
                        "while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; kill -TERM -$pid; wait $pid",
                        {{"ASSAY_TEST_HANG", "good[quantizer.relu=keep,runtime.isa=scalar]"}});
  EXPECT_EQ(ran.code, 130) << ran.out << ran.err;
  EXPECT_EQ(outcomes(), "pass pass not-run not-run ");
}

}  // namespace
}  // namespace assay::test
