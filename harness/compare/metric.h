// SPDX-License-Identifier: Apache-2.0
// Measures of how far an output is from its reference: one per file, one table.
//
// Common rules. Elements are read as double; integers are subtracted and ordered as integers. r is the reference, a the
// actual tensor, n the number of elements, d the absolute error |a - r| of an element:
//   both NaN, or equal (equal infinities too)     d = 0
//   NaN on one side only                          d = NaN, and the whole metric is NaN
//   an infinity against anything else             d = +infinity
// A value of NaN lies within no limit. An empty tensor has error 0, agreement 1 and an SQNR of +infinity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ir/tensor.h"

namespace assay::compare {

// Which errors count: all, or those of elements above or below their reference. For mcnemar_p which difference is asked
// about: any, actual better than the reference, or actual worse.
enum class Side { kBoth, kAbove, kBelow };

struct MetricOptions {
  double quantile = 0.99;   // quantile_abs_error, in (0, 1]
  double beyond_steps = 0;  // mismatch_share
  Index k = 5;              // topk_agreement, >= 1 and below the number of classes
  double rtol = 1e-5;       // tolerance_ratio
  double atol = 1e-8;       // tolerance_ratio
  // The output's quantization step: the scale of the node that makes it. Unset where the output is not quantized.
  // Integer outputs are in steps already and need none.
  std::optional<double> step;
  const Tensor* labels = nullptr;  // int64, one per row; metrics of labels
  Side side = Side::kBoth;
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

// The element that is furthest off; of metrics of rows the row, with the classes that it was given.
struct WorstElement {
  Shape at;
  double actual = 0;
  double reference = 0;
};

struct MetricValue {
  double value = 0;
  std::string detail;                // where the worst element is and its two values, or what was counted
  std::optional<Interval> interval;  // 95 %; of shares over samples
  Index n = 0;                       // elements or rows that the value is taken over
  std::optional<WorstElement> worst = std::nullopt;
};

enum class MetricKind {
  kPair,          // actual against reference
  kLabels,        // actual against labels
  kLabelledPair,  // actual and reference against the same labels
  kRunFact,       // a fact of the run (nodes, bytes, saturated pairs): compute is null, the runner fills the value
};
// Whether a metric of this kind compares with the reference.
constexpr bool is_paired(MetricKind kind) { return kind == MetricKind::kPair || kind == MetricKind::kLabelledPair; }

enum class Better { kLower, kHigher };

struct Limits {
  std::optional<double> at_most;
  std::optional<double> at_least;
  // The whole interval of a value that has one must lie within the limits, not the value alone.
  bool confident = false;
};

// Settings of a check, by their key, with which it would have passed, each at its tightest.
using WouldPass = std::vector<std::pair<std::string_view, double>>;

struct Metric {
  std::string_view name;
  MetricKind kind;
  Better better;
  std::string_view unit;  // "" for a pure number, "dB", "steps", "bytes", "nats"
  std::string_view description;
  // Types and shapes are equal (kPair). Errors: the metric has no meaning for these data.
  Result<MetricValue> (*compute)(const MetricInput& input);
  // Adds what of the metric's own parameters would have passed under the limits; null where it has none.
  void (*loosen)(const MetricInput& input, const Limits& limits, WouldPass& would_pass) = nullptr;
};

// In the order in which listings show them.
std::span<const Metric> metrics();
const Metric* find_metric(std::string_view name);

// NaN is within no limits, not even absent ones.
bool within(double value, const Limits& limits);

// Within the limits by its value, or with `confident` by its whole interval.
bool within(const MetricValue& measured, const Limits& limits);

// The limits that the measured value breaks, or all that are stated where it keeps them, each at the tightest value
// that it keeps; {} for NaN, which no limit lets pass.
WouldPass would_pass_limits(const MetricValue& measured, const Limits& limits);

struct CheckResult {
  MetricValue measured;
  bool passed = false;
  WouldPass would_pass;
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
