// SPDX-License-Identifier: Apache-2.0
// Measures of how far an output is from its reference: one per file, one table.
//
// Common rules. Elements are read as double. r is the reference, a the actual tensor, n the number of elements, d the
// absolute error |a - r| of an element:
//   both NaN, or equal (equal infinities too)     d = 0
//   NaN on one side only                          d = NaN, and the whole metric is NaN
//   an infinity against anything else             d = +infinity
// A value of NaN lies within no limit. An empty tensor has error 0, agreement 1 and an SQNR of +infinity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/ir/tensor.h"

namespace assay::compare {

struct MetricOptions {
  double quantile = 0.99;   // quantile_abs_error, in (0, 1]
  double beyond_steps = 0;  // mismatch_share
  Index k = 5;              // topk_agreement, >= 1 and below the number of classes
  double rtol = 1e-5;       // tolerance_ratio
  double atol = 1e-8;       // tolerance_ratio
  // The output's quantization step: the scale of the node that makes it. Unset where the output is not quantized.
  // Integer outputs are in steps already and need none.
  std::optional<double> step;
  const Tensor* labels = nullptr;  // int64, one per row; top1_accuracy
};

struct MetricInput {
  const Tensor& actual;
  const Tensor& reference;
  MetricOptions options;
};

struct Interval {
  double low = 0;
  double high = 0;
};

struct MetricValue {
  double value = 0;
  std::string detail;                // where the worst element is and its two values, or what was counted
  std::optional<Interval> interval;  // 95 %; of shares over samples
  Index n = 0;                       // elements or rows that the value is taken over
};

enum class MetricKind {
  kPair,     // actual against reference
  kLabels,   // actual against labels
  kRunFact,  // a fact of the run (nodes, bytes, saturated pairs): compute is null, the runner fills the value
};

enum class Better { kLower, kHigher };

struct Metric {
  std::string_view name;
  MetricKind kind;
  Better better;
  std::string_view unit;  // "" for a pure number, "dB", "steps", "bytes", "nats"
  std::string_view description;
  // Types and shapes are equal (kPair). Errors: the metric has no meaning for these data.
  Result<MetricValue> (*compute)(const MetricInput& input);
};

// In the order in which listings show them.
std::span<const Metric> metrics();
const Metric* find_metric(std::string_view name);

struct Limits {
  std::optional<double> at_most;
  std::optional<double> at_least;
};

// NaN is within no limits, not even absent ones.
bool within(double value, const Limits& limits);

struct CheckResult {
  MetricValue measured;
  bool passed = false;
};

// Computes and judges one metric that is not a run fact. `exact` without limits means at most 0. Another type or shape
// than the reference's fails with a NaN value and a detail that names both. Errors (kInvalidArgument): no meaning here,
// as max_steps of an output without a quantization step.
Result<CheckResult> evaluate(const Metric& metric, const MetricInput& input, const Limits& limits);

// "type uint8, reference float32" or "shape [1,3], reference [1,4]"; "" where both agree.
std::string mismatch_text(const Tensor& actual, const Tensor& reference);

// Whether a check on these data could have failed: not if each tensor is one constant. A pass of checks none of which
// could have failed is weak.
bool could_fail(const Tensor& actual, const Tensor& reference);

}  // namespace assay::compare
