// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"
#include "harness/compare/metrics/step.h"

namespace assay::compare {

Result<double> quantization_step(const MetricInput& input, std::string_view metric) {
  const DType dtype = input.actual.dtype();
  if (dtype_integer_range(dtype).max != 0 || dtype == DType::kInt64 || dtype == DType::kUint64) {
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

Result<MetricValue> max_steps(const MetricInput& input) {
  ASSAY_ASSIGN(const double step, quantization_step(input, "max_steps"));
  const Elements elements = read_elements(input);
  const Worst worst = worst_element(
      elements.size(), [&](std::size_t i) { return absolute_error(elements.actual[i], elements.reference[i]) / step; });
  const std::string detail = fmt::format("{}, step {}", element_text(input, elements, worst.position), step);
  return MetricValue{worst.value, detail, {}, input.actual.size(), worst_at(input, elements, worst.position)};
}

}  // namespace assay::compare
