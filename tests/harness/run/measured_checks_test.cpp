// SPDX-License-Identifier: Apache-2.0
#include "harness/run/measured_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>

namespace assay::run {
namespace {

using reports::Measurement;
using spec::Json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Measurement> errors(double max_error, double sqnr) {
  return {{.metric = "sqnr_db", .output = "y", .value = sqnr, .low = {}, .high = {}, .n = 4},
          {.metric = "max_abs_error", .output = "y", .value = max_error, .low = {}, .high = {}, .n = 4}};
}

MeasuredVariant measured(const std::map<std::string, std::string>& axes, double max_error, double sqnr) {
  MeasuredVariant variant;
  for (const auto& [axis, value] : axes) {
    variant.configuration.set(axis, value);
  }
  variant.measurements = errors(max_error, sqnr);
  return variant;
}

MeasuredVariant with_isa(const std::string& isa, double max_error, double sqnr) {
  return measured({{"runtime.isa", isa}}, max_error, sqnr);
}

MeasuredVariant saturated(const std::map<std::string, std::string>& axes, double max_error, double sqnr) {
  MeasuredVariant variant = measured(axes, max_error, sqnr);
  variant.fault =
      KnownFault{.cause = "pair-saturation", .change = "runtime.precision=exact", .without = errors(0.1, 40)};
  return variant;
}

MeasuredChecks checks_of(const std::vector<MeasuredVariant>& variants, double headroom = 1) {
  return measured_checks(variants, headroom, [](std::size_t, const spec::Condition&) { return std::nullopt; });
}

TEST(MeasuredChecks, AreTheWorstWithHeadRoom) {
  const MeasuredChecks made = checks_of({with_isa("scalar", 0.101, 40.2), with_isa("avx512", 0.0811, 41)}, 1.5);
  // 0.101 x 1.5 = 0.1515; 40.2 - 20 log10(1.5) = 36.68
  EXPECT_EQ(made.expect, Json::parse(R"([{"metric": "max_abs_error", "at_most": 0.16},
                                         {"metric": "sqnr_db", "at_least": 36.5}])"));
  EXPECT_TRUE(made.findings.empty());
}

TEST(MeasuredChecks, WhatIsWorseForAnUnknownCauseHasItsOwnAndIsSaid) {
  const MeasuredChecks made = checks_of({with_isa("scalar", 0.1, 40), with_isa("avx2", 5, 10)});
  EXPECT_EQ(made.expect, Json::parse(R"([
    {"metric": "max_abs_error", "at_most": 0.1, "when": {"runtime.isa": "scalar"}},
    {"metric": "sqnr_db", "at_least": 40.0, "when": {"runtime.isa": "scalar"}},
    {"metric": "max_abs_error", "at_most": 5.0, "when": {"runtime.isa": "avx2"}},
    {"metric": "sqnr_db", "at_least": 10.0, "when": {"runtime.isa": "avx2"}}])"));
  EXPECT_THAT(made.findings, ElementsAre("runtime.isa=avx2: 32 times the error of runtime.isa=scalar, cause not found; "
                                         "own tolerances"));
}

TEST(MeasuredChecks, AKnownFaultIsAnXfailToldApartByEveryAxisItNeeds) {
  std::vector<MeasuredVariant> variants;
  for (const char* optimization : {"none", "all"}) {
    for (const char* isa : {"scalar", "avx2"}) {
      const std::map<std::string, std::string> axes{{"runtime.isa", isa}, {"runtime.optimization", optimization}};
      const bool faulty = axes.at("runtime.isa") == "avx2" && axes.at("runtime.optimization") == "all";
      variants.push_back(faulty ? saturated(axes, 5, 10) : measured(axes, 0.1, 40));
    }
  }
  const MeasuredChecks made = checks_of(variants);
  EXPECT_EQ(made.expect, Json::parse(R"([
    {"metric": "max_abs_error", "at_most": 0.1},
    {"metric": "sqnr_db", "at_least": 40.0},
    {"when": {"runtime.optimization": "all", "runtime.isa": "avx2"}, "outcome": "xfail",
     "reason": "32 times the error that runtime.precision=exact gives", "cause": "pair-saturation"}])"));
  EXPECT_THAT(made.findings,
              ElementsAre("runtime.optimization=all runtime.isa=avx2: 32 times the error that runtime.precision=exact "
                          "gives (pair-saturation); xfail"));
}

TEST(MeasuredChecks, TheOnlyConfigurationIsNotBlessedEither) {
  const MeasuredChecks made = checks_of({saturated({{"runtime.isa", "avx2"}}, 5, 10)});
  EXPECT_EQ(made.expect, Json::parse(R"([
    {"metric": "max_abs_error", "at_most": 0.1},
    {"metric": "sqnr_db", "at_least": 40.0},
    {"outcome": "xfail", "reason": "32 times the error that runtime.precision=exact gives",
     "cause": "pair-saturation"}])"));
}

// A case that stated one of them would be warned that no single change confirms it.
TEST(MeasuredChecks, SeveralFaultsAtOnceStateNoCause) {
  MeasuredVariant both = saturated({{"quantizer.relu", "drop"}}, 5, 10);
  both.fault->cause = "relu-dropped and pair-saturation";
  both.fault->is_one = false;
  const MeasuredChecks made = checks_of({both});
  const Json& claim = made.expect.back();
  EXPECT_FALSE(claim.contains("cause"));
  EXPECT_EQ(claim.at("reason"),
            "32 times the error that runtime.precision=exact gives (relu-dropped and pair-saturation)");
  EXPECT_THAT(made.findings, ElementsAre(HasSubstr("(relu-dropped and pair-saturation); xfail")));
}

TEST(MeasuredChecks, AFaultThatTheTolerancesAllowIsSaidAndNoXfail) {
  // Another variant is twice as bad without any fault: with head room, that allows what saturates.
  const MeasuredChecks made =
      checks_of({with_isa("scalar", 0.19, 34.5), saturated({{"runtime.isa", "avx2"}}, 0.25, 32.5)}, 1.5);
  EXPECT_EQ(made.expect.size(), 2U) << made.expect;
  EXPECT_THAT(made.findings, ElementsAre(HasSubstr("within the tolerances all the same")));
}

TEST(MeasuredChecks, ACauseThatAnAxisTellsIsNamed) {
  std::vector<MeasuredVariant> variants = {measured({{"quantizer.weight_type", "int8"}}, 0.1, 40),
                                           measured({{"quantizer.weight_type", "int4"}}, 1.4, 17)};
  std::string asked;
  const MeasuredChecks made = measured_checks(variants, 1, [&](std::size_t position, const spec::Condition& axes) {
    EXPECT_EQ(position, 1U);
    asked = axes.terms.at(0).first;
    return Cause{"rounding", "quantizer.weight_type=int8"};
  });
  EXPECT_EQ(asked, "quantizer.weight_type");
  EXPECT_THAT(made.findings,
              ElementsAre("quantizer.weight_type=int4: 14 times the error of quantizer.weight_type=int8, less with "
                          "quantizer.weight_type=int8 (rounding); own tolerances"));
}

TEST(MeasuredChecks, ThatQuantizingCostsAccuracyIsNoFinding) {
  const MeasuredChecks made =
      checks_of({measured({{"quantizer.format", "none"}}, 1e-6, 130), measured({{"quantizer.format", "qdq"}}, 0.1, 40),
                 measured({{"quantizer.format", "qoperator"}}, 0.12, 38)});
  EXPECT_EQ(made.expect.size(), 4U);
  EXPECT_TRUE(made.findings.empty()) << made.findings.front();
}

// What a tolerance is written as, is what it means: 0.949, not 0.9490000000000001 or 0.948.
TEST(MeasuredChecks, NumbersAreTheShortestDecimals) {
  for (int thousandths = 0; thousandths <= 1000; ++thousandths) {
    MeasuredVariant variant;
    const double share = thousandths / 1000.0;
    variant.measurements = {
        {.metric = "top1_agreement", .output = "y", .value = share, .low = {}, .high = {}, .n = 1000}};
    const std::string text = checks_of({variant}).expect.at(0).at("at_least").dump();
    EXPECT_LE(text.size(), 5U) << text;
    EXPECT_EQ(std::stod(text), share);
  }
  for (double error = 1.0e-7; error < 1e7; error *= 1.0137) {
    MeasuredVariant variant;
    variant.measurements = errors(error, 40);
    const Json limit = checks_of({variant}, 1.5).expect.at(0).at("at_most");
    EXPECT_LE(limit.dump().find_last_not_of("0.") + 1, 9U) << limit.dump();
    EXPECT_GE(limit.get<double>(), error * 1.5);
    EXPECT_LE(limit.get<double>(), error * 1.5 * 1.11);
    char two_digits[32];
    std::snprintf(two_digits, sizeof two_digits, "%.1e", limit.get<double>());
    EXPECT_EQ(std::stod(two_digits), limit.get<double>()) << limit.dump();
  }
}

TEST(NoiseOf, IsFiniteAndThatOfTheWorstOutput) {
  EXPECT_NEAR(noise_of(errors(0, 20)), 0.1, 1e-12);
  EXPECT_EQ(noise_of(errors(0, INFINITY)), 1e-5);
  EXPECT_EQ(noise_of(errors(0, NAN)), 1e5);
  EXPECT_EQ(noise_of(errors(0, -INFINITY)), 1e5);
  EXPECT_EQ(noise_of({}), 1e-5);
}

}  // namespace
}  // namespace assay::run
