// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"
#include "harness/compare/metrics/step.h"

namespace assay::compare {

Result<MetricValue> mismatch_share(const MetricInput& input) {
  double step = 1.0;
  const double beyond = input.options.beyond_steps;
  if (beyond > 0.0) {
    ASSAY_ASSIGN(step, quantization_step(input, "mismatch_share"));
  }
  const Elements elements = read_elements(input);
  std::size_t mismatches = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double steps = beyond > 0.0 ? steps_between(elements, i, step, input.actual.dtype()) : elements.errors[i];
    if (steps > beyond || std::isnan(steps)) {
      first = mismatches == 0 ? i : first;
      ++mismatches;
    }
  }
  const std::size_t n = elements.size();
  std::string detail = fmt::format("{} of {} elements", mismatches, n);
  if (mismatches > 0) {
    detail += fmt::format(", the first {}", element_text(input, elements, first));
  }
  return MetricValue{
      n == 0 ? 0.0 : static_cast<double>(mismatches) / static_cast<double>(n), detail, {}, input.actual.size()};
}

void loosen_beyond_steps(const MetricInput& input, const Limits& limits, WouldPass& would_pass) {
  const Result<double> step = quantization_step(input, "mismatch_share");
  if (!limits.at_most || !step.ok()) {
    return;
  }
  const Elements elements = read_elements(input);
  const std::size_t n = elements.size();
  std::vector<double> steps(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double error = steps_between(elements, i, step.value(), input.actual.dtype());
    steps[i] = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  // The largest count whose share, rounded as the check's own is, keeps the limit.
  std::size_t tolerated = 0;
  while (tolerated < n && static_cast<double>(tolerated + 1) / static_cast<double>(n) <= *limits.at_most) {
    ++tolerated;
  }
  if (tolerated == n) {
    return;  // anything passes
  }
  const auto nth = steps.begin() + static_cast<std::ptrdiff_t>(tolerated);
  std::nth_element(steps.begin(), nth, steps.end(), std::greater<>());
  if (std::isfinite(*nth)) {
    would_pass.emplace_back("beyond_steps", *nth);
  }
}

}  // namespace assay::compare
