// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> mean_abs_error(const MetricInput& input) {
  const Elements elements = read_elements(input);
  double sum = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    sum += elements.errors[i];
  }
  const Index n = input.actual.size();
  return MetricValue{n == 0 ? 0.0 : sum / static_cast<double>(n), fmt::format("over {} elements", n), {}, n};
}

}  // namespace assay::compare
