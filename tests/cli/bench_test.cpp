// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Bench : public ProgramTest {};

TEST_F(Bench, JsonIsOnStdout) {
  const Ran ran = shell(
      "assay bench --benchmark_filter=gemm_u8s8_exact_scalar/49x512x512 --benchmark_format=json "
      "--benchmark_min_time=0.0001 --benchmark_repetitions=2 --benchmark_out=file.json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json printed = json::parse(ran.out);
  EXPECT_EQ(printed.at("benchmarks")[0].at("run_name"), "gemm/gemm_u8s8_exact_scalar/49x512x512");
  EXPECT_TRUE(printed.at("benchmarks")[0].at("GOP/s").is_number());
  EXPECT_GT(printed.at("benchmarks")[0].at("peak_share"), 0);
  EXPECT_TRUE(printed.at("context").at("best_isa").is_string());
  EXPECT_EQ(json::parse(read("file.json")).at("benchmarks").size(), printed.at("benchmarks").size());
}

TEST_F(Bench, ThreadsNameTheirRows) {
  const Ran ran =
      shell("assay bench --threads 1,3 --benchmark_list_tests --benchmark_filter='^operators/.*conv_3x3.*scalar/fast'");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "operators/QLinearConv/conv_3x3_64ch_56x56/scalar/fast/t1\n"
            "operators/QLinearConv/conv_3x3_64ch_56x56/scalar/fast/t3\n");
}

TEST_F(Bench, ExitCodes) {
  struct Situation {
    const char* line;
    int code;
  };
  const std::vector<Situation> situations = {
      {"assay bench --benchmark_filter=no_such_benchmark", 5},
      {"assay bench --benchmark_no_such_flag=1", 2},
      {"assay bench --no-such-flag", 2},
      {"assay bench gemm", 2},
      {"assay bench --benchmark_format=xml", 2},
      {"assay bench --benchmark_filter='('", 2},
      {"assay bench --threads 0", 2},
      {"assay bench --benchmark_min_time=nan --benchmark_filter=pmaddwd_xmm", 2},
      {"assay bench --benchmark_min_time=-1 --benchmark_filter=pmaddwd_xmm", 2},
      {"assay bench --benchmark_repetitions=0 --benchmark_filter=pmaddwd_xmm", 2},
      {"assay bench --benchmark_repetitions=-3 --benchmark_filter=pmaddwd_xmm", 2},
      {"ASSAY_HOST_ISA=foo assay bench --benchmark_list_tests", 2},
      {"assay bench --benchmark_filter=$(head -c 100000 /dev/zero | tr '\\0' a)", 2},
      {"assay bench --benchmark_filter=$(head -c 400 /dev/zero | tr '\\0' '(')a$(head -c 400 /dev/zero | tr '\\0' ')')",
       2},
      {"assay bench --benchmark_filter='((a?){200}){200}'", 2},
      {"assay bench --benchmark_out=/no/such/folder/file.json", 4},
      {"BENCHMARK_OUT=/no/such/folder/file.json assay bench", 4},
      {"BENCHMARK_FORMAT=xml assay bench", 2},
      {"BENCHMARK_OUT_FORMAT=xml assay bench", 2},
      {"BENCHMARK_REPETITIONS=-3 assay bench --benchmark_filter=pmaddwd_xmm", 2},
      {"assay bench --benchmark_time_unit=weeks --benchmark_filter=pmaddwd_xmm", 2},
      {"assay bench --benchmark_min_warmup_time=inf --benchmark_filter=pmaddwd_xmm", 2},
      {"BENCHMARK_TIME_UNIT=weeks assay bench --benchmark_filter=pmaddwd_xmm", 2},
      {"BENCHMARK_FILTER=no_such_benchmark assay bench", 5},
  };
  for (const Situation& situation : situations) {
    const Ran ran = shell(situation.line);
    EXPECT_EQ(ran.code, situation.code) << situation.line << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << situation.line;
    EXPECT_THAT(ran.err, HasSubstr("assay: ")) << situation.line;
  }
}

// Written whole at the end, or not at all.
TEST_F(Bench, TheOutputFileIsWholeOrStaysAsItWas) {
  const std::string quick =
      "assay bench --benchmark_filter=gemm_u8s8_exact_scalar/49x512x512 --benchmark_min_time=0.0001 ";
  for (const char* line : {"--benchmark_out=/dev/full", "--benchmark_out=/dev/full --benchmark_out_format=csv"}) {
    const Ran full = shell(quick + line);
    EXPECT_EQ(full.code, 4) << line;
    EXPECT_THAT(full.err, HasSubstr("/dev/full")) << line;
  }
  EXPECT_EQ(shell("BENCHMARK_OUT=/dev/full " + quick).code, 4);
  write("kept.json", "kept");
  EXPECT_EQ(shell("assay bench --benchmark_out=kept.json --benchmark_filter=no_such_benchmark").code, 5);
  EXPECT_EQ(shell("assay bench --benchmark_out=kept.json --benchmark_list_tests").code, 0);
  EXPECT_EQ(shell("assay bench --benchmark_out=kept.json --benchmark_no_such_flag").code, 2);
  EXPECT_EQ(read("kept.json"), "kept");
  EXPECT_EQ(shell("assay bench --benchmark_out=new.json --benchmark_no_such_flag").code, 2);
  EXPECT_EQ(shell("assay bench --benchmark_out=new.json --benchmark_filter=no_such_benchmark").code, 5);
  EXPECT_FALSE(exists("new.json"));
  for (const char* signal : {"INT", "TERM"}) {
    const Ran ended = shell(std::string("timeout --preserve-status -s ") + signal +
                            " 1 '" ASSAY_PROGRAM
                            "' bench --benchmark_filter=gemm_u8s8_exact_scalar --benchmark_min_time=60"
                            " --benchmark_out=kept.json");
    EXPECT_EQ(ended.code, 130) << signal << ended.err;
    EXPECT_EQ(read("kept.json"), "kept") << signal;
  }
  EXPECT_EQ(shell(quick + "--benchmark_out=kept.json").code, 0);
  EXPECT_FALSE(json::parse(read("kept.json")).at("benchmarks").empty());
  EXPECT_EQ(shell(quick + "--benchmark_out=rows.csv --benchmark_out_format=csv").code, 0);
  EXPECT_THAT(read("rows.csv"), HasSubstr("name,iterations,real_time"));
  EXPECT_EQ(shell("BENCHMARK_OUT=variable.json " + quick).code, 0);
  EXPECT_FALSE(json::parse(read("variable.json")).at("benchmarks").empty());
}

TEST_F(Bench, HelpNamesFamiliesAndTheLibrarysFlags) {
  for (const char* line : {"assay bench --help", "assay help bench"}) {
    const Ran ran = shell(line);
    EXPECT_EQ(ran.code, 0);
    for (const char* text : {"--threads", "gemm", "--benchmark_filter", "user_guide"}) {
      EXPECT_THAT(ran.out, HasSubstr(text)) << line;
    }
  }
}

}  // namespace
}  // namespace assay::test
