// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::measure {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

}  // namespace

double quantile(std::span<const double> values, double p) {
  if (values.empty()) {
    return 0;
  }
  const std::vector<double> ordered = sorted(values);
  const double position = static_cast<double>(ordered.size() - 1) * p;
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  const double share = position - static_cast<double>(below);
  return ordered[below] + share * (ordered[above] - ordered[below]);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double mean(std::span<const double> values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double coefficient_of_variation(std::span<const double> values) {
  const double centre = mean(values);
  if (values.size() < 2 || centre == 0) {
    return 0;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - centre) * (value - centre);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / centre;
}

Interval median_interval(std::span<const double> values) {
  if (values.empty()) {
    return {};
  }
  const std::vector<double> ordered = sorted(values);
  const std::size_t n = ordered.size();
  // tail = P(Binomial(n, 1/2) < rank); the term is C(n, rank) / 2^n.
  double term = std::pow(0.5, static_cast<double>(n));
  double tail = term;
  std::size_t rank = 0;  // zero-based position of the lower bound
  for (std::size_t k = 1; 2 * k < n; ++k) {
    term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
    if (1 - 2 * (tail + term) < 0.95) {
      break;
    }
    tail += term;
    rank = k;
  }
  return {ordered[rank], ordered[n - 1 - rank]};
}

Summary summarize(std::span<const double> values) {
  return {median(values), median_interval(values), quantile(values, 0.95), coefficient_of_variation(values)};
}

}  // namespace assay::measure
