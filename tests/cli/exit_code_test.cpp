// SPDX-License-Identifier: Apache-2.0
// Situations and the exit codes that the program gives in them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExitCodes : public ProgramTest {
 protected:
  // Of outcomes other than pass and fail, a registry for the one that is skipped, and a file that is no case.
  void write_odd_cases() const {
    write_case("xpass", R"("runtime.isa": "scalar")", R"({"metric": "max_abs_error", "at_most": 130},
               {"outcome": "xfail", "reason": "r", "cause": "other"})");
    write_case("invalid", R"("runtime.isa": "scalar")", R"({"metric": "exact", "output": "nowhere"})");
    write_case("skipped", R"("runtime.isa": "scalar", "runtime.name": "absent")", R"({"metric": "exact"})");
    write("registry.json",
          R"({"runtimes": {"absent": {"description": "d", "command": ["./absent"], "requires": ["./absent"],
          "hint": "h", "isa": "host"}}})");
    write("wrong.json", "{\n \"name\": \"x\",\n \"modle\": {}\n}\n");
  }
};

TEST_F(ExitCodes, OfRuns) {
  write_good_case();
  write_case("bad", R"("runtime.isa": "scalar")", R"({"metric": "exact"})");
  write_case("slow", R"("runtime.isa": ["scalar", "avx2"])", R"({"metric": "max_abs_error", "at_most": 130})",
             R"("timing": {"compare": "runtime.isa", "baseline": "scalar", "at_least_speedup": 1000})");
  write_case("gone", R"("runtime.isa": ["avx2", "scalar"])", R"({"metric": "exact", "at_least": 0})",
             R"("timing": {"compare": "runtime.isa", "baseline": "avx2", "at_least_speedup": 0.001})");
  write_case("peerless", R"("runtime.isa": "scalar")", R"({"metric": "exact"})",
             R"("reference": {"configuration": {"runtime.name": "nobody"}})");
  write_case("needy", R"("runtime.isa": "scalar")", R"({"metric": "exact"})",
             R"("needs": [{"cores": 1}, {"runtimes": ["absnet"]}])");
  write_odd_cases();
  write("file", "");
  struct Situation {
    const char* line;
    int code;
  };
  const std::vector<Situation> situations = {
      {"assay run cases/good.json", 0},
      {"assay run cases/bad.json", 1},
      {"assay run cases/good.json cases/bad.json", 1},
      {"assay run cases/slow.json", 1},
      {"assay run cases/slow.json --no-timing", 0},
      {"assay run cases/xpass.json", 1},
      {"assay run cases/invalid.json", 1},
      {"ASSAY_RUNTIMES=registry.json assay run cases/skipped.json", 3},
      {"ASSAY_RUNTIMES=registry.json assay run cases/skipped.json cases/good.json", 0},
      {"export ASSAY_TEST_CRASH='good[quantizer.relu=safe,runtime.isa=avx2]'; assay run cases/good.json", 1},
      {"export ASSAY_TEST_HANG='good[quantizer.relu=safe,runtime.isa=avx2]'; assay run cases/good.json --timeout 0.3",
       1},
      {"export ASSAY_TEST_HANG='good[quantizer.relu=keep,runtime.isa=scalar]'; "
       "rm -rf assay-out; '" ASSAY_PROGRAM
       "' run cases/good.json -j 1 & pid=$!; while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; "
       "kill -INT $pid; wait $pid",
       130},
      {"assay run cases/good.json --shard 1/2 -o part1", 0},
      {"assay run cases/good.json --shard 5/5", 0},
      {"CI_NODE_TOTAL=2 CI_NODE_INDEX=3 assay run cases/good.json", 2},
      {"assay run cases/good.json --durations nowhere", 2},
      {"assay run cases/good.json --durations wrong.json", 2},
      {"assay run cases/good.json --timeout-factor 0", 2},
      {"assay run cases/good.json --memory-limit 0", 2},
      {"assay merge", 2},
      {"assay merge nowhere", 2},
      {"assay merge part1", 2},
      {"assay run cases/good.json -o whole && assay merge whole", 0},
      {"assay run cases/good.json -o whole && cp -r whole again && assay merge whole again", 2},
      {"assay report whole", 0},
      {"assay report whole --format tap", 0},
      {"assay report whole --format pdf", 2},
      {"assay report whole --filter nothing-like-it", 5},
      {"assay run wrong.json", 2},
      {"assay run cases/good.json wrong.json", 2},
      {"assay run missing.json", 2},
      {"assay run", 2},
      {"assay", 2},
      {"assay fly", 2},
      {"assay run cases/good.json --no-such-flag", 2},
      {"assay run cases/good.json --shard 3/2", 2},
      {"assay run cases/good.json --set runtime.iso=avx2", 2},
      {"assay run cases/good.json -j 0", 2},
      {"assay run cases/peerless.json", 2},
      {"assay run cases/good.json --set runtime.name=nobody", 2},
      {"assay run cases/needy.json --no-timing", 2},
      {"ASSAY_HOST_ISA=foo assay run cases/good.json", 2},
      {"assay run cases/good.json -o file/inside", 4},
      {"assay run cases/good.json --json /dev/full", 4},
      {"assay run cases/good.json --filter nothing-like-it", 5},
      {"assay run cases/good.json --tag nightly", 5},
      {"assay list cases/good.json --tag nightly", 5},
      {"assay list cases/good.json", 0},
      {"assay list wrong.json", 2},
      {"assay list cases/good.json --set runtime.isa=scalar --set runtime.isa=sse41", 2},
      {"assay run cases/good.json --set runtime.isa=scalar --set runtime.isa=scalar", 2},
      {"assay schema", 0},
      {"assay schema results", 0},
      {"assay schema other", 2},
      {"assay explain xfail", 0},
      {"assay explain xfial", 2},
      {"assay version", 0},
      {"assay --version", 0},
      {"assay help", 0},
      {"assay help run", 0},
      {"assay help fly", 2},
      {"assay --help", 0},
      {"assay run --help", 0},
      {"assay doctor", 0},
      {"assay report nowhere", 2},
      {"assay quantize missing.onnx -o q.onnx --calibration c.npz", 2},
      {"assay infer missing.onnx --input x=x.npy -o out", 2},
      {"assay version > /dev/full", 4},
  };
  for (const Situation& situation : situations) {
    const Ran ran = shell(situation.line);
    EXPECT_EQ(ran.code, situation.code) << situation.line << "\n" << ran.out << ran.err;
    if (situation.code == 2 || situation.code == 4 || situation.code == 5) {
      EXPECT_NE(ran.err, "") << situation.line << " says nothing";
    }
  }
}

TEST_F(ExitCodes, NoVerdictWhereTheHostCannotTell) {
  write_case("emulated", R"("runtime.isa": ["scalar", "avx512_vnni"])",
             R"({"metric": "max_abs_error", "at_most": 130})",
             R"("timing": {"compare": "runtime.isa", "baseline": "scalar", "at_least_speedup": 0.001})");
  const Ran ran = shell("assay run cases/emulated.json", {{"ASSAY_HOST_ISA", "scalar"}});
  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("INCONCLUSIVE emulated[runtime.isa=avx512_vnni]"));
  EXPECT_THAT(ran.out, HasSubstr("is emulated on this host"));
}

TEST_F(ExitCodes, VerdictFileSaysTheSame) {
  write_good_case();
  write_case("bad", R"("runtime.isa": "scalar")", R"({"metric": "exact"})");
  EXPECT_EQ(shell("assay run cases").code, 1);
  const nlohmann::json verdict = nlohmann::json::parse(read("assay-out/verdict.json"));
  EXPECT_EQ(verdict.at("exit_code"), 1);
  EXPECT_EQ(verdict.at("counts"), nlohmann::json({{"pass", 4}, {"fail", 1}}));
}

// Case-file errors name file, line and column, all of them, and nothing is run.
TEST_F(ExitCodes, CaseFileErrorsAreListedOnStderr) {
  write_good_case();
  write_odd_cases();
  const Ran ran = shell("assay run cases/good.json wrong.json");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("wrong.json:3:2"));
  EXPECT_THAT(ran.err, HasSubstr("model"));
  EXPECT_FALSE(exists("assay-out"));
}

// A name that no machine will ever have would skip its variants for ever.
TEST_F(ExitCodes, NeededRuntimesAreChecked) {
  write_odd_cases();
  write_case("needy", R"("runtime.isa": "scalar")", R"({"metric": "max_abs_error", "at_most": 130})",
             R"("needs": [{"cores": 1}, {"runtimes": ["absnet"]}])");
  const Ran ran = shell("assay run cases/needy.json --no-timing", {{"ASSAY_RUNTIMES", path("registry.json")}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cases/needy.json:9:"));
  EXPECT_THAT(ran.err, HasSubstr("unknown runtime 'absnet'"));
  EXPECT_THAT(ran.err, HasSubstr("nearest known runtime is 'absent'"));
  EXPECT_FALSE(exists("assay-out"));
  write("registry.json", R"({"runtimes": {}})");  // as on a machine that has no peers
  const Ran none = shell("assay run cases/needy.json --no-timing", {{"ASSAY_RUNTIMES", path("registry.json")}});
  EXPECT_EQ(none.code, 3) << none.out << none.err;
  EXPECT_THAT(none.out, HasSubstr("needs runtime 'absnet'"));
}

TEST_F(ExitCodes, ReaderThatGoesAwayIsNoError) {
  write_good_case();
  const Ran ran = shell("{ assay explain; echo code $? >&2; } | true");
  EXPECT_THAT(ran.err, HasSubstr("code 0"));
  EXPECT_THAT(ran.err, Not(HasSubstr("assay:")));
}

// Terms are whole at any width; where stdout is no terminal and COLUMNS says nothing, lines have 100 characters.
TEST_F(ExitCodes, TermsAreExplainedInLinesOfTheTerminalsWidth) {
  for (const auto& [columns, width] : {std::pair("", 100U), std::pair("120", 120U), std::pair("80", 80U)}) {
    const Ran ran = shell("assay explain", {{"COLUMNS", columns}});
    ASSERT_EQ(ran.code, 0);
    for (const std::string& line : lines_of(ran.out)) {
      EXPECT_LE(line.size(), width) << line;
    }
    EXPECT_THAT(ran.out, HasSubstr(" quantizer.exclude_output_op_types "));
  }
  for (const std::string& line : lines_of(shell("assay explain pair-saturation").out)) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

}  // namespace
}  // namespace assay::test
