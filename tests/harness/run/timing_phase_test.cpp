// SPDX-License-Identifier: Apache-2.0
// Judging of speed-ups on made-up times: the timing process is a stand-in.
#include "harness/run/timing_phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "harness/run/timing_process.h"
#include "harness/run/variant.h"
#include "tests/harness/run/external/fake_adapter.h"
#include "tests/harness/run/small_case.h"

namespace assay::run {
namespace {

using reports::Outcome;
using reports::VariantResult;
using testing::HasSubstr;

Json times(const std::vector<double>& samples) {
  return {{"real", samples}, {"cpu", samples},           {"iterations", 10}, {"operations", 2000},
          {"batch", 1},      {"float_median_ns", 500.0}, {"error", ""}};
}

// Nine times around `centre`, at most `spread` of it away.
std::vector<double> around(double centre, double spread) {
  std::vector<double> samples;
  for (int i = -4; i <= 4; ++i) {
    samples.push_back(centre * (1 + spread * i / 4));
  }
  return samples;
}

struct Bench {
  std::string timing = R"({"compare": "runtime.isa", "baseline": "scalar", "at_least_speedup": 1.5})";
  double baseline_ns = 1000;
  double variant_ns = 500;
  double spread = 0.01;
  double fresh_spread = 0.01;  // of the times of fresh pairs, which have two positions only
  Outcome baseline_outcome = Outcome::kPass;
  bool emulated = false;
  std::optional<std::size_t> crashing;                         // the process dies when it times this one
  std::optional<std::size_t> adapter_crashing = std::nullopt;  // the adapter of this one dies, the process lives
};

// Variants: 0 scalar, 1 avx2, 2 avx512; the common run times all three, fresh pairs two.
std::vector<VariantResult> judge(const Bench& bench) {
  const Selection selection = test::select_all(
      test::conv_relu_case(R"("matrix": {"runtime.isa": ["scalar", "avx2", "avx512"]}, "timing": )" + bench.timing));
  TimedResults results;
  for (std::size_t i = 0; i < selection.variants.size(); ++i) {
    results[i] = blank_result(selection.cases[0], *selection.variant(i));
    results[i].outcome = Outcome::kPass;
    results[i].kernels = {{"conv", "QLinearConv", "k", "i", "exact", true}};
  }
  results[0].outcome = bench.baseline_outcome;
  results[1].kernels[0].native = !bench.emulated;
  TimingPhaseOptions options;
  options.timeout_s = 30;
  options.interrupted = [] { return false; };
  options.say = [](const std::string&) {};
  options.on_timed = [](std::size_t) {};
  options.handler = [&](const Json& request) -> Json {
    const auto positions = request.at("time").get<std::vector<std::size_t>>();
    if (bench.crashing && std::ranges::find(positions, *bench.crashing) != positions.end()) {
      std::abort();
    }
    const double spread = positions.size() == 2 ? bench.fresh_spread : bench.spread;
    // Fresh pairs come in both orders by turns; the order shifts the variant, so that pairs differ.
    const double shift = positions.size() == 2 ? 1 + bench.fresh_spread * (positions[0] == 0 ? 3 : -3) : 1;
    Json list = Json::array();
    for (const std::size_t position : positions) {
      const bool dies = position == bench.adapter_crashing;
      list.push_back(times(dies ? std::vector<double>()
                                : around(position == 0 ? bench.baseline_ns : bench.variant_ns * shift, spread)));
      list.back()["crashed"] = dies;
      list.back()["error"] = dies ? "runtime 'x' ended" : "";
    }
    return {{"times", list}};
  };
  time_results(selection, results, options);
  std::vector<VariantResult> judged;
  for (auto& [position, result] : results) {
    judged.push_back(std::move(result));
  }
  return judged;
}

TEST(TimingPhase, ClearSpeedupPassesWithoutFreshPairs) {
  const std::vector<VariantResult> results = judge({});
  EXPECT_EQ(results[0].timing->baseline, results[0].name);
  EXPECT_FALSE(results[0].timing->speedup);
  EXPECT_EQ(results[1].outcome, Outcome::kPass);
  EXPECT_DOUBLE_EQ(*results[1].timing->speedup, 2);
  EXPECT_EQ(results[1].timing->fresh_pairs, 0);
  EXPECT_DOUBLE_EQ(results[1].timing->gops(), 4);
  EXPECT_EQ(results[1].timing->float_median_ns, 500);
  ASSERT_EQ(results[1].checks.size(), 1U);
  EXPECT_TRUE(results[1].checks[0].passed);
}

TEST(TimingPhase, ClearSlownessFailsAfterFreshPairs) {
  Bench bench;
  bench.variant_ns = 900;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[0].outcome, Outcome::kPass);
  EXPECT_EQ(results[1].outcome, Outcome::kFail);
  EXPECT_EQ(results[1].timing->fresh_pairs, 6);
  EXPECT_THAT(results[1].reason, HasSubstr("required 1.5"));
}

TEST(TimingPhase, NoiseInTheCommonRunIsSettledByFreshPairs) {
  Bench bench;
  bench.spread = 0.5;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[1].outcome, Outcome::kPass);
  EXPECT_EQ(results[1].timing->fresh_pairs, 6);
}

TEST(TimingPhase, NoiseInFreshPairsTooIsInconclusive) {
  Bench bench;
  bench.variant_ns = 660;
  bench.fresh_spread = 0.1;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[1].outcome, Outcome::kInconclusive);
  EXPECT_THAT(results[1].reason, HasSubstr("too noisy"));
}

TEST(TimingPhase, EmulatedSideIsInconclusiveWhereASpeedupIsDemanded) {
  Bench bench;
  bench.emulated = true;
  std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[1].outcome, Outcome::kInconclusive);
  EXPECT_FALSE(results[1].timing->measured());
  EXPECT_THAT(results[1].reason, HasSubstr("emulated"));
  EXPECT_EQ(results[2].outcome, Outcome::kPass);
  bench.timing = R"({"compare": "runtime.isa", "baseline": "scalar"})";
  results = judge(bench);
  EXPECT_EQ(results[1].outcome, Outcome::kPass);
  EXPECT_THAT(results[1].timing->note, HasSubstr("emulated"));
}

TEST(TimingPhase, WrongAnswersAreNotTimed) {
  Bench bench;
  bench.baseline_outcome = Outcome::kXfail;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_FALSE(results[0].timing);
  EXPECT_EQ(results[0].outcome, Outcome::kXfail);
  EXPECT_EQ(results[1].outcome, Outcome::kInconclusive);
  EXPECT_THAT(results[1].reason, HasSubstr("whose outcome is xfail"));
}

TEST(TimingPhase, CrashWhileTimingIsTheOutcomeOfTheVariantAtFaultOnly) {
  Bench bench;
  bench.crashing = 1;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[0].outcome, Outcome::kPass);
  EXPECT_TRUE(results[0].timing->measured());
  EXPECT_EQ(results[1].outcome, Outcome::kCrash);
  EXPECT_THAT(results[1].reason, HasSubstr("SIGABRT"));
  EXPECT_THAT(results[1].timing->note, HasSubstr("SIGABRT"));
  EXPECT_EQ(results[2].outcome, Outcome::kPass);
  EXPECT_DOUBLE_EQ(*results[2].timing->speedup, 2);
}

TEST(TimingPhase, CrashOfAnAdapterIsTheOutcomeOfItsVariantOnly) {
  Bench bench;
  bench.adapter_crashing = 1;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[0].outcome, Outcome::kPass);
  EXPECT_EQ(results[1].outcome, Outcome::kCrash);
  EXPECT_EQ(results[1].reason, "runtime 'x' ended");
  EXPECT_EQ(results[2].outcome, Outcome::kPass);
  EXPECT_DOUBLE_EQ(*results[2].timing->speedup, 2);
}

// Variants of one adapter: one dies of its options while it is timed, the others are loaded anew and keep their times.
TEST(TimingPhase, OthersAreTimedWithANewAdapter) {
  const std::string folder = test::test_folder("timed_together");
  (void)test::fake_entry(folder);
  ASSERT_TRUE(replace_file(folder + "/registry.json",
                           R"({"runtimes": {"fake": {"command": ["/usr/bin/python3", "./fake.py", "die-timed"]}}})")
                  .ok());
  ::setenv("ASSAY_RUNTIMES", (folder + "/registry.json").c_str(), 1);
  const Selection selection = test::select_all(
      R"({"name": "c", "model": {"graph": {"opset": 13, "inputs": {"x": {"type": "float32", "shape": [2]}},
          "nodes": [{"op": "Relu", "inputs": ["x"], "outputs": ["y"]}],
          "outputs": {"y": {"type": "float32", "shape": [2]}}}}, "inputs": {"x": {"values": [-1, 2]}},
          "expect": [{"metric": "max_abs_error", "at_most": 9}],
          "matrix": {"quantizer.format": "none", "runtime.name": "fake",
                     "runtime.options": [{"n": 1}, {"die": true}, {"n": 3}]},
          "timing": {"compare": "runtime.options", "baseline": {"n": 1}}})");
  RuntimeHost host;
  const Json answer = time_variants(selection, {0, 1, 2}, {.repetitions = 3, .min_time_s = 1e-4}, host);
  ::unsetenv("ASSAY_RUNTIMES");
  ASSERT_EQ(answer.at("times").size(), 3U);
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_EQ(answer.at("times")[i].at("error"), "") << i;
    EXPECT_EQ(answer.at("times")[i].at("real").size(), 3U) << i;
    EXPECT_EQ(answer.at("times")[i].at("crashed"), false) << i;
  }
  EXPECT_EQ(answer.at("times")[1].at("crashed"), true);
  EXPECT_THAT(answer.at("times")[1].at("error").get<std::string>(), HasSubstr("killed by SIGSEGV"));
}

TEST(TimingPhase, CrashOfTheBaselineLeavesTheOthersWithoutAVerdict) {
  Bench bench;
  bench.crashing = 0;
  const std::vector<VariantResult> results = judge(bench);
  EXPECT_EQ(results[0].outcome, Outcome::kCrash);
  EXPECT_EQ(results[1].outcome, Outcome::kInconclusive);
  EXPECT_THAT(results[1].reason, HasSubstr("whose outcome is crash"));
}

TEST(TimingPhase, RealProcessTimesTheCall) {
  const Selection selection = test::select_all(test::conv_relu_case(
      R"("matrix": {"runtime.isa": ["scalar", "avx2"]}, "timing": {"compare": "runtime.isa", "baseline": "scalar"})"));
  RuntimeHost host;
  const Json answer = time_variants(selection, {0, 1}, {.repetitions = 2, .min_time_s = 1e-4}, host);
  ASSERT_EQ(answer.at("times").size(), 2U);
  for (const Json& entry : answer.at("times")) {
    EXPECT_EQ(entry.at("error"), "");
    EXPECT_EQ(entry.at("real").size(), 2U);
    EXPECT_EQ(entry.at("operations"), 8);  // four multiply-accumulates
    EXPECT_TRUE(entry.at("float_median_ns").is_number());
  }
}

}  // namespace
}  // namespace assay::run
