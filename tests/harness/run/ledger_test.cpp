// SPDX-License-Identifier: Apache-2.0
// The error of a variant, split by what makes it.
#include "harness/run/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/run/variant.h"
#include "tests/harness/run/small_case.h"

namespace assay::run {
namespace {

using reports::LedgerEntry;
using reports::Outcome;
using reports::VariantResult;

// Two columns of weights, of which the first saturates in int16 pairs.
std::string saturating_case(const std::string& rest) {
  return R"({"name": "c", "model": {"graph": {"opset": 13,
    "inputs": {"x": {"type": "float32", "shape": [1, 2]}},
    "initializers": {"w": {"type": "float32", "shape": [2, 2], "data": [1, 0.25, 1, 0.5]}},
    "nodes": [{"op": "MatMul", "name": "mm", "inputs": ["x", "w"], "outputs": ["y"]}],
    "outputs": {"y": {"type": "float32", "shape": [1, 2]}}}}, "inputs": {"x": {"values": [255, 254]}},
    "calibration": {"x": [{"values": [0, 255]}, {"values": [255, 254]}]}, )" +
         rest + "}";
}

std::vector<VariantResult> run_all(const std::string& text) {
  const Selection selection = test::select_all(text);
  RuntimeHost host;
  Execution execution(selection.cases[0], host);
  std::vector<VariantResult> results;
  for (std::size_t i = 0; i < selection.variants.size(); ++i) {
    results.push_back(run_variant(execution, *selection.variant(i)));
  }
  return results;
}

double rmse_of(const VariantResult& result, const std::string& part) {
  for (const LedgerEntry& entry : result.ledger) {
    if (entry.part == part) {
      return entry.rmse;
    }
  }
  ADD_FAILURE() << "no part " << part;
  return -1;
}

std::string names(const std::vector<LedgerStep>& steps) {
  std::string text;
  for (const LedgerStep& step : steps) {
    text += step.part + (step.differs ? "! " : " ");
  }
  return text;
}

TEST(LedgerSteps, ChangeOneThingEach) {
  spec::Configuration configuration;
  configuration.set("runtime.isa", "avx2");
  const std::vector<LedgerStep> steps = ledger_steps(configuration, "");
  EXPECT_EQ(names(steps), "quantization! graph! arithmetic! runtime ");
  EXPECT_EQ(steps[0].from.text("quantizer.format"), "none");
  EXPECT_EQ(steps[0].to.text("quantizer.format"), "qdq");
  EXPECT_EQ(steps[0].to.text("runtime.optimization"), "none");
  EXPECT_EQ(steps[0].to.text("runtime.precision"), "exact");
  EXPECT_EQ(steps[1].to.text("runtime.optimization"), "all");
  EXPECT_EQ(steps[1].to.text("runtime.precision"), "exact");
  EXPECT_EQ(steps[2].to.text("runtime.precision"), "fast");
  EXPECT_EQ(steps[2].to.text("runtime.isa"), "avx2");
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_EQ(spec::effective_values(steps[i].from), spec::effective_values(steps[i - 1].to));
  }
}

TEST(LedgerSteps, OfAnExternalRuntimeTakeTheInstructionSetThatIsKnown) {
  spec::Configuration configuration;
  configuration.set("runtime.name", "onnxruntime");
  EXPECT_EQ(names(ledger_steps(configuration, "")), "quantization! graph! arithmetic runtime! ");
  const std::vector<LedgerStep> steps = ledger_steps(configuration, "avx2");
  EXPECT_EQ(names(steps), "quantization! graph! arithmetic! runtime! ");
  EXPECT_EQ(steps[2].to.text("runtime.isa"), "avx2");
  EXPECT_EQ(steps[2].to.text("runtime.name"), "assay");
  EXPECT_EQ(steps[3].to.text("runtime.name"), "onnxruntime");
}

TEST(LedgerSteps, OfAFloatModelChangeNothing) {
  spec::Configuration configuration = spec::float_reference();
  EXPECT_EQ(names(ledger_steps(configuration, "")), "quantization graph arithmetic! runtime ");
}

TEST(Ledger, SaturationIsArithmeticAndItsShareIsMostOfTheError) {
  const std::vector<VariantResult> results = run_all(saturating_case(
      R"("matrix": {"runtime.isa": ["scalar", "avx2"]}, "ledger": true, "expect": [{"metric": "cosine", "at_least": 0}])"));
  ASSERT_EQ(results.size(), 2U);
  for (const VariantResult& result : results) {
    ASSERT_EQ(result.ledger.size(), 5U) << result.reason;
    double shares = 0;
    for (const LedgerEntry& entry : result.ledger) {
      shares += entry.part == "total" ? 0 : entry.share;
      EXPECT_EQ(entry.output, "y");
    }
    EXPECT_NEAR(shares, 1, 1e-9);
    EXPECT_EQ(rmse_of(result, "runtime"), 0);
    EXPECT_EQ(rmse_of(result, "quantization"), rmse_of(results[0], "quantization"));
    EXPECT_EQ(rmse_of(result, "graph"), rmse_of(results[0], "graph"));
  }
  EXPECT_EQ(rmse_of(results[0], "arithmetic"), 0);
  EXPECT_GT(rmse_of(results[1], "arithmetic"), 100);  // 2 x 255 x 127 - 32767 = 32003 of 64770: half of 509
  EXPECT_GT(results[1].ledger[2].share, 0.9);
  EXPECT_EQ(results[1].ledger[2].part, "arithmetic");
}

TEST(Ledger, EachPartHasABudgetOfItsOwn) {
  const auto outcome = [](const std::string& part, const std::string& isa) {
    return run_all(saturating_case(R"("matrix": {"runtime.isa": ")" + isa +
                                   R"("}, "expect": [{"metric": "max_abs_error", "part": ")" + part +
                                   R"(", "at_most": 5}])"))
        .front();
  };
  EXPECT_EQ(outcome("arithmetic", "scalar").outcome, Outcome::kPass);
  EXPECT_EQ(outcome("quantization", "avx2").outcome, Outcome::kPass);
  EXPECT_EQ(outcome("graph", "avx2").outcome, Outcome::kPass);
  EXPECT_EQ(outcome("total", "avx2").outcome, Outcome::kFail);
  const VariantResult failed = outcome("arithmetic", "avx2");
  EXPECT_EQ(failed.outcome, Outcome::kFail);
  EXPECT_EQ(failed.cause, "pair-saturation");
  ASSERT_EQ(failed.checks.size(), 1U);
  EXPECT_EQ(failed.checks[0].parameters.at("part"), "arithmetic");
  EXPECT_EQ(failed.ledger.size(), 5U);
}

TEST(Ledger, APartThatChangesNothingCannotFail) {
  const VariantResult result =
      run_all(saturating_case(R"("expect": [{"metric": "max_abs_error", "part": "runtime", "at_most": 0}])")).front();
  EXPECT_EQ(result.outcome, Outcome::kWeak) << result.reason;
}

TEST(Ledger, IsNotMadeUnasked) {
  EXPECT_TRUE(run_all(saturating_case(R"("expect": [{"metric": "cosine", "at_least": 0}])")).front().ledger.empty());
}

}  // namespace
}  // namespace assay::run
