// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "harness/compare/difference.h"
#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"
#include "harness/compare/metrics/step.h"

namespace assay::compare {

Result<double> quantization_step(const MetricInput& input, std::string_view metric) {
  const DType dtype = input.actual.dtype();
  if (dtype_integer_range(dtype).max != 0 || is_wide_integer(dtype)) {
    return 1.0;
  }
  if (!input.options.step) {
    return invalid_argument(fmt::format("{}: the output is not quantized, so it has no quantization step", metric));
  }
  if (!(*input.options.step > 0.0)) {
    return invalid_argument(fmt::format("{}: the quantization step {} is not above 0", metric, *input.options.step));
  }
  return *input.options.step;
}

double steps_between(const Elements& elements, std::size_t position, double step, DType dtype) {
  const double steps = elements.errors[position] / step;
  const double whole = std::round(steps);
  const double magnitudes = std::abs(elements.actual[position]) + std::abs(elements.reference[position]);
  const double rounding = magnitudes / step * half_ulp(dtype);
  return whole >= 1 && rounding < 0.25 && std::abs(steps - whole) <= rounding ? whole : steps;
}

Result<MetricValue> max_steps(const MetricInput& input) {
  ASSAY_ASSIGN(const double step, quantization_step(input, "max_steps"));
  const Elements elements = read_elements(input);
  const Worst worst = worst_element(
      elements.size(), [&](std::size_t i) { return steps_between(elements, i, step, input.actual.dtype()); });
  const std::string detail = fmt::format("{}, step {}", element_text(input, elements, worst.position), step);
  return MetricValue{worst.value, detail, {}, input.actual.size(), worst_at(input, elements, worst.position)};
}

}  // namespace assay::compare
