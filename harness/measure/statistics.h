// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated times: pure functions, no assumption about the distribution.
#pragma once

#include <span>
#include <vector>

namespace assay::measure {

// Linear interpolation between order statistics (position (n-1)*p of the sorted values; numpy's default). p in [0, 1];
// 0 for no values.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);
double mean(std::span<const double> values);
// Sample standard deviation over mean; 0 for fewer than two values or a mean of 0.
double coefficient_of_variation(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

// The narrowest symmetric pair of order statistics that covers the median with at least 95 %: the r-th smallest and
// r-th largest, where 1 - 2*P(Binomial(n, 1/2) < r) >= 0.95. Fewer than 6 values cannot reach 95 %: their whole range.
Interval median_interval(std::span<const double> values);

struct Summary {
  double median = 0;
  Interval interval;
  double p95 = 0;
  double variation = 0;
};
Summary summarize(std::span<const double> values);

}  // namespace assay::measure
