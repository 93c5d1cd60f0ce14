// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> max_abs_error(const MetricInput& input) {
  const Elements elements = read_elements(input);
  const Worst worst = worst_element(elements.size(), [&](std::size_t i) { return elements.errors[i]; });
  return MetricValue{worst.value,
                     element_text(input, elements, worst.position),
                     {},
                     input.actual.size(),
                     worst_at(input, elements, worst.position)};
}

}  // namespace assay::compare
