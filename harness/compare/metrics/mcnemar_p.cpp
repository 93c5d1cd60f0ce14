// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/labels.h"

namespace assay::compare {
namespace {

// P(B <= k) of B ~ binomial(n, 1/2). Each term comes from the one before it, in logarithms: 2^-n may be far below the
// smallest double.
double half_binomial_below(std::size_t k, std::size_t n) {
  double log_term = -static_cast<double>(n) * std::log(2.0);
  double sum = 0.0;
  for (std::size_t i = 0; i <= k; ++i) {
    sum += std::exp(log_term);
    log_term += std::log(static_cast<double>(n - i)) - std::log(static_cast<double>(i + 1));
  }
  return std::min(sum, 1.0);
}

}  // namespace

Result<MetricValue> mcnemar_p(const MetricInput& input) {
  ASSAY_ASSIGN(const PairedCounts counts, paired_counts(input, "mcnemar_p"));
  const std::size_t changed = counts.actual_only + counts.reference_only;
  MetricValue result;
  result.n = static_cast<Index>(counts.rows());
  result.detail = paired_text(counts);
  result.worst = counts.worst;
  switch (input.options.side) {
    case Side::kBoth:
      result.value =
          std::min(1.0, 2.0 * half_binomial_below(std::min(counts.actual_only, counts.reference_only), changed));
      break;
    case Side::kBelow:
      result.value = half_binomial_below(counts.actual_only, changed);
      break;
    case Side::kAbove:  // the distribution is symmetric
      result.value = half_binomial_below(counts.reference_only, changed);
      break;
  }
  return result;
}

}  // namespace assay::compare
