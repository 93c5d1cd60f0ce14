// SPDX-License-Identifier: Apache-2.0
// Where files, streams or the output folder cannot be had: the exit code, and that all that is written says the same.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Output : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write_good_case();
  }
  int verdict(const std::string& folder = "assay-out") const {
    return json::parse(read(folder + "/verdict.json")).at("exit_code");
  }
};

TEST_F(Output, StderrThatCannotBeWrittenChangesNothing) {
  for (const char* end : {"2>&-", "2>/dev/full", "2>&- <&-"}) {
    EXPECT_EQ(shell(std::string("assay run cases ") + end).code, 0) << end;
    EXPECT_EQ(verdict(), 0) << end;
    EXPECT_EQ(lines_of(read("assay-out/results.jsonl")).size(), 4U) << end;
    EXPECT_EQ(shell(std::string("assay run missing.json ") + end).code, 2) << end;
    EXPECT_EQ(shell(std::string("assay list cases --tag none ") + end).code, 5) << end;
  }
}

TEST_F(Output, StdoutThatCannotBeWrittenIsTheVerdict) {
  for (const char* end : {">/dev/full", ">&-"}) {
    EXPECT_EQ(shell(std::string("assay run cases ") + end).code, 4) << end;
    EXPECT_EQ(verdict(), 4) << end;
    EXPECT_THAT(json::parse(read("assay-out/results.json")).at("harness_error").get<std::string>(),
                HasSubstr("cannot write to stdout"));
    EXPECT_EQ(shell("assay run cases").code, 0);
    EXPECT_EQ(shell(std::string("assay report assay-out -o again ") + end).code, 4) << end;
    EXPECT_EQ(verdict("again"), 4) << end;
  }
}

TEST_F(Output, JsonThatCannotBeWrittenIsTheVerdict) {
  const Ran ran = shell("assay run cases --json nowhere/x.json");
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, HasSubstr("harness failure (exit 4)"));
  EXPECT_THAT(ran.err, HasSubstr("nowhere/x.json"));
  EXPECT_EQ(verdict(), 4);
  EXPECT_EQ(shell("assay run cases").code, 0);
  const Ran report = shell("assay report assay-out --json nowhere/x.json -o again");
  EXPECT_EQ(report.code, 4);
  EXPECT_THAT(report.out, HasSubstr("harness failure (exit 4)"));
  EXPECT_EQ(verdict("again"), 4);
}

TEST_F(Output, ReportThatCannotBeWrittenIsTheVerdict) {
  write("assay-out/junit.xml/in-the-way", "");
  const Ran ran = shell("assay run cases --json x.json");
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, HasSubstr("harness failure (exit 4)"));
  EXPECT_EQ(verdict(), 4);
  for (const char* file : {"x.json", "assay-out/results.json"}) {
    EXPECT_THAT(json::parse(read(file)).at("harness_error").get<std::string>(), HasSubstr("junit.xml")) << file;
  }
}

TEST_F(Output, FileThatCannotBeReplacedStaysAsItWas) {
  write("x.json", "old");
  // 512-byte blocks: enough for the journal's lines, not for the whole.
  const Ran ran = shell("(ulimit -f 1; assay run cases -o '' --json x.json)");
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("x.json"));
  EXPECT_EQ(read("x.json"), "old");
  EXPECT_EQ(shell("ls -A | grep -c part").out, "0\n");
  EXPECT_EQ(shell("assay run cases -o '' --json cases").code, 4);
}

TEST_F(Output, JsonToWhereStdoutLeads) {
  const Ran ran = shell("assay list cases --json /dev/stdout");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"rerun\""));
  EXPECT_THAT(ran.out, testing::EndsWith("\ngood[quantizer.relu=keep,runtime.isa=avx2]\n"));
  EXPECT_THAT(shell("assay list cases --json /dev/stdout | cat").out, HasSubstr("\"rerun\""));
}

TEST_F(Output, NothingSelectedLeavesTheFolderAlone) {
  EXPECT_EQ(shell("assay run cases").code, 0);
  const std::string before = shell("ls -lA --time-style=full-iso assay-out; cat assay-out/*").out;
  EXPECT_EQ(shell("assay run cases --filter nothing-like-it").code, 5);
  EXPECT_EQ(shell("assay run cases --tag none --resume").code, 5);
  EXPECT_EQ(shell("assay report assay-out --filter nothing-like-it -o assay-out").code, 5);
  EXPECT_EQ(shell("ls -lA --time-style=full-iso assay-out; cat assay-out/*").out, before);
  EXPECT_EQ(shell("assay run cases --tag none -o fresh").code, 5);
  EXPECT_FALSE(exists("fresh"));
}

TEST_F(Output, SecondRunInAFolderIsRefused) {
  const Ran ran = shell(
      "'" ASSAY_PROGRAM
      "' run cases -j 1 & pid=$!; while [ ! -s assay-out/results.jsonl ]; do sleep 0.05; done; "
      "cp assay-out/results.jsonl before; env -u ASSAY_TEST_HANG '" ASSAY_PROGRAM
      "' run cases 2>refusal; echo second $?; grep -c \"process $pid)\" refusal; cmp before assay-out/results.jsonl; "
      "kill -KILL $pid; wait $pid; env -u ASSAY_TEST_HANG '" ASSAY_PROGRAM
      "' run cases --resume >/dev/null; echo third $?",
      {{"ASSAY_TEST_HANG", "good[quantizer.relu=safe,runtime.isa=avx2]"}});
  EXPECT_THAT(ran.out, HasSubstr("second 4\n1\nthird 0\n")) << ran.err;
  EXPECT_THAT(read("refusal"), HasSubstr("assay-out is in use"));
}

TEST_F(Output, TextThatIsNotUtf8IsRefusedBeforeAnythingIsDone) {
  const std::string bad = "\"$(printf 'a\\377')\"";
  for (const std::string flag : {"--set runtime.isa=", "--set quantizer.nodes_to_exclude=", "--filter ", "--tag "}) {
    const Ran ran = shell("assay run cases " + flag + bad);
    EXPECT_EQ(ran.code, 2) << flag << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("byte 0xFF")) << flag;
    EXPECT_THAT(ran.err, HasSubstr(flag.substr(0, flag.find(' ')))) << flag;
    EXPECT_EQ(shell("assay list cases --json - " + flag + bad).code, 2) << flag;
  }
  EXPECT_EQ(shell("assay run cases " + bad).code, 2);
  EXPECT_FALSE(exists("assay-out"));
}

TEST_F(Output, NumbersThatAreNoneAreRefused) {
  for (const char* flag : {"--timeout nan", "--timeout inf", "--timeout -nan", "--timeout x", "--timeout 0",
                           "--min-time nan", "--min-time inf", "--repetitions nan", "-j nan"}) {
    EXPECT_EQ(shell(std::string("assay run cases ") + flag).code, 2) << flag;
  }
  EXPECT_EQ(shell("assay run cases --timeout 1e3").code, 0);
}

TEST_F(Output, BrokenResultsAreNamedWithoutTheLibrarysWords) {
  for (const char* text :
       {"{", "[]", "{}", R"({"schema_version": "1"})", R"({"schema_version": 1, "host": {}, "results": [{"case": 1}]})",
        R"({"schema_version": 1, "host": {}, "results": [{"case": "c", "name": "n", "variant": {},
                               "outcome": "fine"}]})"}) {
    write("results.json", text);
    const Ran ran = shell("assay report results.json");
    EXPECT_EQ(ran.code, 2) << text;
    EXPECT_THAT(ran.err, HasSubstr("results.json is no results.json: ")) << text;
    EXPECT_THAT(ran.err, Not(HasSubstr("exception"))) << ran.err;
    EXPECT_THAT(ran.err, Not(HasSubstr("bad_optional"))) << ran.err;
  }
}

}  // namespace
}  // namespace assay::test
