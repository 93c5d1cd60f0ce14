// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> quantile_abs_error(const MetricInput& input) {
  const double quantile = input.options.quantile;
  if (!(quantile > 0.0 && quantile <= 1.0)) {
    return invalid_argument(fmt::format("quantile_abs_error: quantile {} is not in (0, 1]", quantile));
  }
  const Elements elements = read_elements(input);
  const std::size_t n = elements.size();
  std::vector<double> errors(n);
  for (std::size_t i = 0; i < n; ++i) {
    errors[i] = elements.errors[i];
    if (std::isnan(errors[i])) {
      return MetricValue{errors[i], element_text(input, elements, i), {}, input.actual.size()};
    }
  }
  if (n == 0) {
    return MetricValue{0.0, "no elements", {}, 0};
  }
  // A hair is taken off so that 0.1 * 10 = 1.0000000000000002 would not ask for two elements.
  const double wanted = std::ceil(quantile * static_cast<double>(n) * (1.0 - 1e-12));
  const std::size_t rank = std::min(n, std::max<std::size_t>(1, static_cast<std::size_t>(wanted)));
  const auto nth = errors.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(errors.begin(), nth, errors.end());
  return MetricValue{*nth, fmt::format("{} of {} elements have at most this error", rank, n), {}, input.actual.size()};
}

void loosen_quantile(const MetricInput& input, const Limits& limits, WouldPass& would_pass) {
  if (!limits.at_most) {
    return;
  }
  const Elements elements = read_elements(input);
  std::size_t within = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double error = elements.errors[i];
    if (std::isnan(error)) {
      return;
    }
    within += error <= *limits.at_most ? 1U : 0U;
  }
  if (within > 0) {
    would_pass.emplace_back("quantile", static_cast<double>(within) / static_cast<double>(elements.size()));
  }
}

}  // namespace assay::compare
