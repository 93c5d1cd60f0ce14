// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {
namespace {

double relative_error(double error, double reference) {
  if (error == 0.0 || std::isnan(error)) {
    return error;
  }
  if (reference == 0.0 || std::isinf(error)) {
    return std::numeric_limits<double>::infinity();
  }
  return error / std::fabs(reference);
}

}  // namespace

Result<MetricValue> max_rel_error(const MetricInput& input) {
  const Elements elements = read_elements(input);
  const Worst worst = worst_element(
      elements.size(), [&](std::size_t i) { return relative_error(elements.errors[i], elements.reference[i]); });
  return MetricValue{worst.value,
                     element_text(input, elements, worst.position),
                     {},
                     input.actual.size(),
                     worst_at(input, elements, worst.position)};
}

}  // namespace assay::compare
