// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> cosine(const MetricInput& input) {
  const Elements elements = read_elements(input);
  // Both are scaled by their largest magnitude, so that the squares neither overflow nor vanish.
  double largest_actual = 0.0;
  double largest_reference = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    largest_actual = std::max(largest_actual, std::fabs(elements.actual[i]));
    largest_reference = std::max(largest_reference, std::fabs(elements.reference[i]));
  }
  double product = 0.0;
  double actual_power = 0.0;
  double reference_power = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double a = largest_actual == 0.0 ? elements.actual[i] : elements.actual[i] / largest_actual;
    const double r = largest_reference == 0.0 ? elements.reference[i] : elements.reference[i] / largest_reference;
    product += a * r;
    actual_power += a * a;
    reference_power += r * r;
  }
  double value = product / std::sqrt(actual_power * reference_power);
  if (actual_power == 0.0 || reference_power == 0.0) {
    const double other = actual_power + reference_power;
    value = std::isnan(other) ? other : other == 0.0 ? 1.0 : 0.0;
  }
  if (value > 1.0 || value < -1.0) {
    value = std::clamp(value, -1.0, 1.0);  // rounding; NaN stays
  }
  return MetricValue{value, fmt::format("over {} elements", elements.size()), {}, input.actual.size()};
}

}  // namespace assay::compare
