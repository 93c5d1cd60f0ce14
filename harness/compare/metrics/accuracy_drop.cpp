// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"
#include "harness/compare/metrics/labels.h"

namespace assay::compare {
namespace {

// How far the two shares of right rows go together, from the four counts; towards 0 by half a row's weight where they
// do at all (Newcombe's continuity correction).
double correlation(const PairedCounts& counts) {
  const auto both = static_cast<double>(counts.both);
  const auto actual_only = static_cast<double>(counts.actual_only);
  const auto reference_only = static_cast<double>(counts.reference_only);
  const auto neither = static_cast<double>(counts.neither);
  const double margins =
      (both + actual_only) * (reference_only + neither) * (both + reference_only) * (actual_only + neither);
  if (margins == 0.0) {
    return 0.0;
  }
  double excess = both * neither - actual_only * reference_only;
  if (excess > 0.0) {
    excess = std::fmax(excess - static_cast<double>(counts.rows()) / 2.0, 0.0);
  }
  return excess / std::sqrt(margins);
}

Interval difference_interval(const PairedCounts& counts) {
  const auto n = static_cast<double>(counts.rows());
  const std::size_t actual_hits = counts.both + counts.actual_only;
  const std::size_t reference_hits = counts.both + counts.reference_only;
  const double actual = static_cast<double>(actual_hits) / n;
  const double reference = static_cast<double>(reference_hits) / n;
  const Interval of_actual = wilson_interval(actual_hits, counts.rows());
  const Interval of_reference = wilson_interval(reference_hits, counts.rows());
  const double together = correlation(counts);
  const auto distance = [&](double a, double b) { return std::sqrt(a * a - 2.0 * together * a * b + b * b); };
  const double drop = reference - actual;
  return {drop - distance(reference - of_reference.low, of_actual.high - actual),
          drop + distance(of_reference.high - reference, actual - of_actual.low)};
}

}  // namespace

Result<MetricValue> accuracy_drop(const MetricInput& input) {
  ASSAY_ASSIGN(const PairedCounts counts, paired_counts(input, "accuracy_drop"));
  MetricValue result;
  result.n = static_cast<Index>(counts.rows());
  result.detail = paired_text(counts);
  result.worst = counts.worst;
  if (counts.rows() == 0) {
    result.interval = Interval{-1.0, 1.0};
    return result;
  }
  result.value = (static_cast<double>(counts.reference_only) - static_cast<double>(counts.actual_only)) /
                 static_cast<double>(counts.rows());
  result.interval = difference_interval(counts);
  return result;
}

}  // namespace assay::compare
