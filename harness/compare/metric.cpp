// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "harness/compare/difference.h"
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {
namespace {

constexpr std::array<Metric, 20> kMetrics = {{
    {"max_abs_error", MetricKind::kPair, Better::kLower, "", "largest absolute error", max_abs_error},
    {"mean_abs_error", MetricKind::kPair, Better::kLower, "", "mean absolute error", mean_abs_error},
    {"rmse", MetricKind::kPair, Better::kLower, "", "root of the mean squared error", rmse},
    {"max_rel_error", MetricKind::kPair, Better::kLower, "", "largest error relative to the reference", max_rel_error},
    {"tolerance_ratio", MetricKind::kPair, Better::kLower, "", "largest error relative to atol + rtol |reference|",
     tolerance_ratio},
    {"quantile_abs_error", MetricKind::kPair, Better::kLower, "", "absolute error that a share of the elements keep",
     quantile_abs_error, loosen_quantile},
    {"sqnr_db", MetricKind::kPair, Better::kHigher, "dB", "signal to quantization noise ratio", sqnr_db},
    {"cosine", MetricKind::kPair, Better::kHigher, "", "cosine similarity", cosine},
    {"max_steps", MetricKind::kPair, Better::kLower, "steps", "largest error in quantization steps of the output",
     max_steps},
    {"mismatch_share", MetricKind::kPair, Better::kLower, "", "share of elements beyond a number of steps",
     mismatch_share, loosen_beyond_steps},
    {"exact", MetricKind::kPair, Better::kLower, "", "number of elements whose bytes differ", exact},
    {"top1_agreement", MetricKind::kPair, Better::kHigher, "", "share of rows with the same largest element",
     top1_agreement},
    {"topk_agreement", MetricKind::kPair, Better::kHigher, "", "common share of the k largest elements of a row",
     topk_agreement},
    {"top1_accuracy", MetricKind::kLabels, Better::kHigher, "", "share of rows whose largest element is the label",
     top1_accuracy},
    {"accuracy_drop", MetricKind::kLabelledPair, Better::kLower, "",
     "accuracy of the reference less that of the actual output, on the same labels", accuracy_drop},
    {"mcnemar_p", MetricKind::kLabelledPair, Better::kHigher, "",
     "McNemar's exact p-value: how likely so uneven a change of right answers is by chance", mcnemar_p},
    {"kl_divergence", MetricKind::kPair, Better::kLower, "nats", "Kullback-Leibler divergence from the reference",
     kl_divergence},
    {"saturated_pair_share", MetricKind::kRunFact, Better::kLower, "", "share of pair sums that saturated in int16",
     nullptr},
    {"node_count", MetricKind::kRunFact, Better::kLower, "", "nodes of a graph", nullptr},
    {"peak_bytes", MetricKind::kRunFact, Better::kLower, "bytes", "largest memory of activations", nullptr},
}};

// By value: +0 and -0 are one constant, as are NaNs of any pattern.
bool is_constant(const Tensor& tensor) {
  const std::vector<double> values = ordered_doubles(tensor);
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return value == values.front() || (std::isnan(value) && std::isnan(values.front()));
  });
}

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

const Metric* find_metric(std::string_view name) {
  const auto found =
      std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == kMetrics.end() ? nullptr : &*found;
}

bool within(double value, const Limits& limits) {
  return !std::isnan(value) && (!limits.at_most || value <= *limits.at_most) &&
         (!limits.at_least || value >= *limits.at_least);
}

bool within(const MetricValue& measured, const Limits& limits) {
  if (limits.confident && measured.interval) {
    return within(measured.interval->low, limits) && within(measured.interval->high, limits);
  }
  return within(measured.value, limits);
}

WouldPass would_pass_limits(const MetricValue& measured, const Limits& limits) {
  if (std::isnan(measured.value)) {
    return {};
  }
  const Interval ends =
      limits.confident && measured.interval ? *measured.interval : Interval{measured.value, measured.value};
  const bool passes = within(measured, limits);
  WouldPass would_pass;
  if (limits.at_least && (passes || ends.low < *limits.at_least)) {
    would_pass.emplace_back("at_least", ends.low);
  }
  if (limits.at_most && (passes || ends.high > *limits.at_most)) {
    would_pass.emplace_back("at_most", ends.high);
  }
  return would_pass;
}

Result<CheckResult> evaluate(const Metric& metric, const MetricInput& input, const Limits& limits) {
  if (metric.compute == nullptr) {
    return internal_error(fmt::format("metric '{}' is not computed from tensors", metric.name));
  }
  CheckResult result;
  if (is_paired(metric.kind)) {
    if (std::string mismatch = mismatch_text(input.actual, input.reference); !mismatch.empty()) {
      result.measured.value = std::numeric_limits<double>::quiet_NaN();
      result.measured.detail = std::move(mismatch);
      return result;
    }
  }
  ASSAY_ASSIGN(result.measured, metric.compute(input));
  if (metric.kind == MetricKind::kPair && !result.measured.worst) {
    result.measured.worst = worst_by_error(input);
  }
  Limits effective = limits;
  if (metric.name == "exact" && !limits.at_most && !limits.at_least) {
    effective.at_most = 0.0;
  }
  result.passed = within(result.measured, effective);
  result.would_pass = would_pass_limits(result.measured, effective);
  if (metric.loosen != nullptr) {
    metric.loosen(input, effective, result.would_pass);
  }
  return result;
}

std::string mismatch_text(const Tensor& actual, const Tensor& reference) {
  if (actual.dtype() != reference.dtype()) {
    return fmt::format("type {}, reference {}", dtype_name(actual.dtype()), dtype_name(reference.dtype()));
  }
  if (actual.shape() != reference.shape()) {
    return fmt::format("shape {}, reference {}", shape_text(actual.shape()), shape_text(reference.shape()));
  }
  return {};
}

bool could_fail(const Tensor& actual, const Tensor& reference) {
  return !is_constant(actual) || !is_constant(reference);
}

}  // namespace assay::compare
