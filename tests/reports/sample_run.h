// SPDX-License-Identifier: Apache-2.0
// A record with one result of every outcome, awkward text and numbers, for the renderers' tests.
#pragma once

#include <limits>
#include <string>

#include "reports/record.h"

namespace assay::reports::test {

inline VariantResult make_result(const std::string& case_name, const Json& variant, Outcome outcome) {
  VariantResult result;
  result.case_name = case_name;
  result.case_file = "cases/" + case_name + ".json";
  result.variant = variant;
  result.configuration = variant;
  std::string axes;
  for (const auto& [axis, value] : variant.items()) {
    axes += (axes.empty() ? "" : ",") + axis + "=" + value_text(value);
  }
  result.name = case_name + (axes.empty() ? "" : "[" + axes + "]");
  result.outcome = outcome;
  result.rerun = "assay run " + result.case_file + " --filter '" + result.name + "'";
  result.duration_s = 0.25;
  return result;
}

inline Measurement make_measurement(const std::string& metric, double value) {
  Measurement measured;
  measured.metric = metric;
  measured.output = "y";
  measured.value = value;
  measured.n = 100;
  return measured;
}

inline Check make_check(const std::string& metric, double value, double at_most, bool passed) {
  Check check;
  check.measured = make_measurement(metric, value);
  check.at_most = at_most;
  check.passed = passed;
  return check;
}

inline Timing make_timing(double median_ns) {
  Timing timing;
  timing.samples_ns = {median_ns * 0.9, median_ns, median_ns * 1.2};
  timing.cpu_samples_ns = {median_ns * 0.8, median_ns * 0.9, median_ns};
  timing.median_ns = median_ns;
  timing.median_low_ns = median_ns * 0.9;
  timing.median_high_ns = median_ns * 1.2;
  timing.p95_ns = median_ns * 1.18;
  timing.variation = 0.15;
  timing.iterations = 40;
  timing.batch = 1;
  timing.operations = 2e6;
  return timing;
}

inline RunRecord every_outcome() {
  RunRecord run;
  run.host = {{"name", "box<1>"}, {"cpu", "A & B \"CPU\""}, {"cores", 2}};
  run.command = "assay run 'my cases'";
  run.started = "2026-01-31T12:00:00Z";
  run.duration_s = 3.5;
  for (const OutcomeRow& row : outcome_rows()) {
    VariantResult result = make_result("group/one", {{"runtime.isa", std::string(row.name)}}, row.outcome);
    result.reason = "because <" + std::string(row.name) + "> & \x01 \xff ]]>";
    run.results.push_back(result);
  }
  VariantResult full =
      make_result("group/two", {{"quantizer.relu", "drop"}, {"quantizer.per_channel", true}}, Outcome::kFail);
  full.cause = "relu-dropped";
  full.checks = {make_check("max_abs_error", std::numeric_limits<double>::infinity(), 0.5, false),
                 make_check("rmse", std::numeric_limits<double>::quiet_NaN(), 0.5, false),
                 make_check("mean_abs_error", 0.25, 0.5, true)};
  full.checks[2].parameters = {{"k", 5}};
  full.checks[2].detail = "at [0,1]: \"3\"";
  full.measurements = {make_measurement("sqnr_db", -std::numeric_limits<double>::infinity())};
  full.measurements[0].low = -1;
  full.measurements[0].high = 1;
  full.kernels = {{"conv|1", "QLinearConv", "gemm_u8s8", "avx2", "sat16-pairs", false}};
  full.saturation = {{.node = "conv|1", .pairs = 1000, .saturated = 25, .largest_loss = 777, .samples = 64}};
  full.saturation[0].weight_pairs = 200;
  full.saturation[0].weight_pairs_at_risk = 25;
  full.saturation[0].largest_possible_loss = 32003;
  full.saturation[0].channels = 8;
  full.saturation[0].channels_saturated = 2;
  full.saturation[0].worst_channels = {{3, 125, 20, 777}, {1, 125, 5, 9}};
  full.timing = make_timing(1500);
  full.timing->baseline = "group/two[quantizer.relu=safe]";
  full.timing->speedup = 1.5;
  full.timing->speedup_low = 1.25;
  full.timing->speedup_high = 1.75;
  full.timing->at_least_speedup = 2;
  full.timing->float_median_ns = 3000;
  full.timing->fresh_pairs = 6;
  full.timing->note = "a note, with \"quotes\"";
  full.warnings = {"Relu 'relu' is lost"};
  full.passes = {"fuse_relu"};
  full.seeds = {{"x", 18446744073709551615ULL}};
  run.results.push_back(full);
  return run;
}

}  // namespace assay::reports::test
