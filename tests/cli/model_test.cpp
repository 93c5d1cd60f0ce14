// SPDX-License-Identifier: Apache-2.0
// `assay quantize` and `infer` on a small model, with files of numpy's and ONNX's forms.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/api/model.h"
#include "tests/cli/small_model.h"

namespace assay::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

using Models = SmallModel;

TEST_F(Models, InferWritesOutputsAndNamesKernels) {
  const Ran ran = shell("assay infer m.onnx --input x=x.npy -o out");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(output("out"), (std::vector<float>{0, 16129, 8128, 0}));
  EXPECT_THAT(ran.out, HasSubstr("conv"));
  EXPECT_THAT(ran.out, HasSubstr("arithmetic"));
  EXPECT_THAT(ran.err, HasSubstr("y_out_0.npy"));
}

TEST_F(Models, ProfileShowsTimesMemoryAndATrace) {
  const Ran ran = shell("assay infer m.onnx --input x=x.npy -o out --profile --trace trace.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("time"));
  EXPECT_THAT(ran.err, HasSubstr("in one arena"));
  EXPECT_EQ(output("out"), (std::vector<float>{0, 16129, 8128, 0}));
  const json trace = json::parse(read("trace.json"));
  ASSERT_GE(trace.at("traceEvents").size(), 1U);
  double end = 0;
  for (const json& event : trace.at("traceEvents")) {
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_GE(event.at("ts").get<double>(), end - 1e-6) << "nodes run one after the other";
    end = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  EXPECT_EQ(trace.at("traceEvents")[0].at("args").at("op"), "com.microsoft.FusedConv");
}

TEST_F(Models, ATraceThatCannotBeWrittenIsSaidBeforeTheRun) {
  const Ran ran = shell("assay infer m.onnx --input x=x.npy -o out --trace missing/trace.json");
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("missing"));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(Models, TimesAreWrittenForLoadingPlanningAndEachRun) {
  const Ran ran = shell("assay infer m.onnx --input x=x.npy -o out --times times.json --seconds 0");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(output("out"), (std::vector<float>{0, 16129, 8128, 0}));
  EXPECT_THAT(ran.err, HasSubstr("times.json"));
  const json times = json::parse(read("times.json"));
  for (const char* key : {"load_ms", "plan_ms", "first_run_ms", "start_cpu_ms", "resident_kib"}) {
    EXPECT_GT(times.at(key).get<double>(), 0) << key;
  }
  EXPECT_EQ(times.at("runs_ms").size(), 3U) << "the fewest";
  EXPECT_EQ(times.at("runs_cpu_ms").size(), 3U);
  EXPECT_GE(times.at("peak_resident_kib").get<long>(), times.at("resident_kib").get<long>());

  EXPECT_EQ(shell("assay infer m.onnx --input x=x.npy -o other --times missing/times.json").code, 4);
  EXPECT_EQ(shell("assay infer m.onnx --input x=x.npy -o other --times t.json --seconds -1").code, 2);
  EXPECT_EQ(shell("assay infer m.onnx --input x=x.npy -o other --times t.json --seconds nan").code, 2);
  const Ran twice =
      shell("assay infer m.onnx --input x=x.npy -o other --set runtime.isa=scalar --set runtime.isa=avx2");
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--set runtime.isa=avx2: runtime.isa is given twice, before as runtime.isa=scalar"));
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

TEST_F(Models, InferSavesTheOptimizedModel) {
  ASSERT_EQ(shell("assay quantize m.onnx -o q.onnx --calibration data").code, 0);
  const Ran ran = shell("assay infer q.onnx --input x=x.npy -o a --save-optimized o.onnx");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("fuse_qdq_conv"));
  EXPECT_THAT(ran.err, HasSubstr("o.onnx"));
  const auto saved = api::Model::load(path("o.onnx"));
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  EXPECT_EQ(saved.value().graph().nodes[1].op_type, "QLinearConv");
  EXPECT_THAT(read("o.onnx"), HasSubstr("made by assay's fuse_qdq_conv"));
  ASSERT_EQ(shell("assay infer o.onnx --input x=x.npy -o b").code, 0);
  EXPECT_EQ(output("a"), output("b"));
  EXPECT_EQ(shell("assay infer q.onnx --input x=x.npy -o a --save-optimized nowhere/o.onnx").code, 4);
}

TEST_F(Models, InferReplacesNothingThatTheCommandLineNames) {
  std::filesystem::copy(path("x.npy"), path("y_out_0.npy"));
  const std::string model = read("m.onnx");
  const std::string input = read("x.npy");
  for (const std::string& flags : {
           std::string("-o out --trace m.onnx"),
           std::string("-o out --save-optimized ./m.onnx"),
           std::string("-o out --trace x.npy"),
           std::string("-o out --trace out/y_out_0.npy"),
           std::string("-o out --save-optimized out/../out/y_out_0.npy"),
           std::string("-o out --trace t --save-optimized ./t"),
       }) {
    const Ran ran = shell("assay infer m.onnx --input x=x.npy " + flags);
    EXPECT_EQ(ran.code, 2) << flags;
    EXPECT_THAT(ran.err, HasSubstr("it needs one of its own")) << flags;
    EXPECT_FALSE(std::filesystem::exists(path("out"))) << flags;
  }
  EXPECT_EQ(shell("assay infer m.onnx --input x=y_out_0.npy -o .").code, 2);
  EXPECT_EQ(read("m.onnx"), model);
  EXPECT_EQ(read("x.npy"), input);
  EXPECT_EQ(read("y_out_0.npy"), input);
  const Ran beside = shell("assay infer m.onnx --input x=x.npy -o out --trace out/trace.json");
  EXPECT_EQ(beside.code, 0) << beside.err;
}

TEST_F(Models, QuantizeThenInferOnEachProfile) {
  const Ran ran = shell("assay quantize m.onnx -o q.onnx --calibration data --report r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("integers"));
  const json report = json::parse(read("r.json"));
  EXPECT_EQ(report.at("samples"), 2);
  EXPECT_EQ(report.at("nodes")[0].at("node"), "conv");
  EXPECT_EQ(report.at("nodes")[0].at("quantized"), true);
  for (const char* isa : {"scalar", "avx2", "avx512", "avx_vnni", "avx512_vnni"}) {
    const Ran infer =
        shell(std::string("assay infer q.onnx --input x=x.npy -o out --profile --set runtime.isa=") + isa);
    ASSERT_EQ(infer.code, 0) << infer.err;
    EXPECT_THAT(infer.out, HasSubstr(isa));
    EXPECT_EQ(output("out")[0], 0) << isa;
    EXPECT_NEAR(output("out")[1], 16129, 130) << isa;
  }
}

TEST_F(Models, DroppedReluIsWarnedOfByName) {
  const Ran ran = shell(
      "assay quantize m.onnx -o q.onnx --calibration data --set quantizer.relu=drop "
      "--set quantizer.activation_symmetric=true");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("warning: "));
  EXPECT_THAT(ran.err, HasSubstr("'relu'"));
  ASSERT_EQ(shell("assay infer q.onnx --input x=x.npy -o out").code, 0);
  EXPECT_LT(output("out")[0], -15000);
}

TEST_F(Models, S8ModelBecomesU8WithTheSameOutputs) {
  ASSERT_EQ(shell("assay quantize m.onnx -o s8.onnx --calibration data --set quantizer.activation_type=int8").code, 0);
  const Ran converted = shell("assay quantize s8.onnx -o u8.onnx --to-u8");
  ASSERT_EQ(converted.code, 0) << converted.err;
  // A Conv (with its Relu); QuantizeLinear and DequantizeLinear are not counted.
  EXPECT_THAT(converted.out, HasSubstr("1 of 1 nodes compute in integers"));
  ASSERT_EQ(shell("assay infer s8.onnx --input x=x.npy -o a --set runtime.optimization=none").code, 0);
  ASSERT_EQ(shell("assay infer u8.onnx --input x=x.npy -o b --set runtime.optimization=none").code, 0);
  EXPECT_EQ(output("a"), output("b"));
  EXPECT_EQ(shell("assay quantize s8.onnx -o u8.onnx --to-u8 --calibration data").code, 2);
}

TEST_F(Models, BadUseIsExitTwoWithAMessage) {
  write("garbage.onnx", "this is no model");
  write("garbage.npy", "this is no array");
  for (const char* line :
       {"assay quantize garbage.onnx -o q.onnx --calibration data", "assay quantize m.onnx -o q.onnx",
        "assay quantize m.onnx -o q.onnx --calibration nowhere",
        "assay quantize m.onnx -o q.onnx --calibration data --set quantizer.format=none",
        "assay quantize m.onnx -o q.onnx --calibration data --set quantizer.calibration=entrpy",
        "assay quantize m.onnx -o q.onnx --calibration data --set runtime.isa=avx2",
        "assay quantize m.onnx -o q.onnx --calibration data --set quantizer.nodes_to_exclude=nobody",
        "assay quantize m.onnx --calibration data", "assay infer garbage.onnx --input x=x.npy -o out",
        "assay infer m.onnx --input x=garbage.npy -o out", "assay infer m.onnx --input x -o out",
        "assay infer m.onnx --input z=x.npy -o out", "assay infer m.onnx -o out",
        "assay infer m.onnx --input x=x.npy --input x=x.npy -o out",
        "assay infer m.onnx --input x=x.npy -o out --set runtime.isa=sve",
        "assay infer m.onnx --input x=x.npy -o out --set runtime.name=onnxruntme"}) {
    const Ran ran = shell(line);
    EXPECT_EQ(ran.code, 2) << line << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_THAT(ran.err, testing::StartsWith("assay: ")) << line;
  }
  EXPECT_EQ(shell("assay infer m.onnx --input x=x.npy -o m.onnx/inside").code, 4);
  EXPECT_EQ(shell("assay quantize m.onnx -o data --calibration data").code, 2);
  EXPECT_EQ(shell("assay quantize m.onnx -o data --calibration x=x.npy").code, 4);
  EXPECT_EQ(shell("assay quantize m.onnx -o nowhere/q.onnx --calibration data").code, 4);
}

TEST_F(Models, MessagesSayWhatIsWrong) {
  struct Situation {
    const char* line;
    const char* message;
  };
  for (const Situation& situation : std::vector<Situation>{
           {"assay quantize m.onnx -o '' --calibration data", "assay: -o needs the name of a file, found ''\n"},
           {"assay infer m.onnx --input x=x.npy -o ''", "assay: -o needs the name of a folder, found ''\n"},
           {"assay infer m.onnx --input x= -o out", "assay: --input x=: the name of a file is missing for input 'x'\n"},
           {"assay quantize m.onnx -o q.onnx --calibration data --set quantizer.reluu=keep",
            "assay: --set quantizer.reluu=keep: unknown axis 'quantizer.reluu'; nearest known axis is "
            "'quantizer.relu'\n"},
           {"assay infer m.onnx --input x=x.npy -o out --set runtime.threads=0",
            "assay: --set runtime.threads=0: axis 'runtime.threads' must be a whole number from 1 to 256, found 0\n"},
           {"assay infer m.onnx --input x=x.npy -o out --set runtime.isa",
            "assay: --set runtime.isa: expected axis=value, as runtime.isa=avx2\n"}}) {
    const Ran ran = shell(situation.line);
    EXPECT_EQ(ran.code, 2) << situation.line;
    EXPECT_EQ(ran.err, situation.message) << situation.line;
  }
}

// Refused before any work: the report would take the place of the model.
TEST_F(Models, ReportNeedsAFileOfItsOwn) {
  const std::string model = read("m.onnx");
  for (const char* flags :
       {"-o q.onnx --report q.onnx", "-o q.onnx --report ./x/../q.onnx", "-o q.onnx --report m.onnx"}) {
    const Ran ran = shell(std::string("assay quantize m.onnx --calibration data ") + flags);
    EXPECT_EQ(ran.code, 2) << flags;
    EXPECT_THAT(ran.err, HasSubstr("--report")) << flags;
  }
  EXPECT_EQ(shell("assay quantize m.onnx --calibration data -o q.onnx --report nowhere/r.json").code, 4);
  EXPECT_FALSE(exists("q.onnx"));
  EXPECT_EQ(read("m.onnx"), model);
}

TEST_F(Models, WhatCannotBeWrittenStaysAsItWas) {
  const std::string model = read("m.onnx");
  EXPECT_EQ(shell("(ulimit -f 0; assay quantize m.onnx --calibration data -o m.onnx)").code, 4);
  EXPECT_EQ(read("m.onnx"), model);
  ASSERT_EQ(shell("assay infer m.onnx --input x=x.npy -o out").code, 0);
  const std::string output = read("out/y_out_0.npy");
  EXPECT_EQ(shell("(ulimit -f 0; assay infer m.onnx --input x=x.npy -o out)").code, 4);
  EXPECT_EQ(read("out/y_out_0.npy"), output);
  EXPECT_EQ(shell("ls -A . out | grep -c part").out, "0\n");
  // In place of itself, where that works.
  EXPECT_EQ(shell("assay quantize m.onnx --calibration data -o m.onnx").code, 0);
  EXPECT_NE(read("m.onnx"), model);
}

TEST_F(Models, ANewCasePassesAtOnce) {
  const std::string make = "assay new m.onnx -o sub/deep/mine.json --input x=x.npy --calibration data";
  const Ran made = shell(make);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("6 variants"));
  const Ran ran = shell("assay run sub/deep/mine.json -o out");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("6 pass"));
  const Ran again = shell(make);
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("is there already; --force replaces it"));
  EXPECT_EQ(shell(make + " --force --headroom 3 --set runtime.isa=scalar --set quantizer.format=none").code, 0);
  EXPECT_EQ(json::parse(read("sub/deep/mine.json")).at("matrix").at("runtime.isa"), "scalar");
  const Ran printed = shell("assay new m.onnx --input x=x.npy --calibration data --name printed");
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(json::parse(printed.out).at("name"), "printed");
}

TEST_F(Models, ANewCaseThatCannotBeMadeLeavesNothing) {
  EXPECT_EQ(shell("assay new none.onnx -o sub/mine.json").code, 2);
  EXPECT_EQ(shell("assay new m.onnx -o sub/mine.json --input x=none.npy").code, 2);
  EXPECT_EQ(shell("assay new m.onnx -o sub/mine.json --set runtime.iso=avx2").code, 2);
  EXPECT_EQ(shell("assay new m.onnx -o sub/mine.txt").code, 2);
  EXPECT_EQ(shell("assay new m.onnx -o sub/mine.json --headroom 0.5").code, 2);
  EXPECT_FALSE(exists("sub"));
  EXPECT_EQ(shell("assay new m.onnx -o m.onnx/mine.json --input x=x.npy --calibration data").code, 4);
}

}  // namespace
}  // namespace assay::test
