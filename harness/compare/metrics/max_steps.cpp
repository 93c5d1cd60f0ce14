// SPDX-License-Identifier: Apache-2.0
#include <cmath>

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

namespace {

// The largest relative error of rounding to a floating-point type.
double half_ulp(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 0x1p-24;
    case DType::kFloat16:
      return 0x1p-11;
    case DType::kBfloat16:
      return 0x1p-8;
    case DType::kFloat64:
      return 0x1p-53;
    default:
      return 0;
  }
}

}  // namespace

double steps_between(double actual, double reference, double step, DType dtype) {
  const double steps = absolute_error(actual, reference) / step;
  const double whole = std::round(steps);
  const double rounding = (std::abs(actual) + std::abs(reference)) / step * half_ulp(dtype);
  return whole >= 1 && rounding < 0.25 && std::abs(steps - whole) <= rounding ? whole : steps;
}

Result<MetricValue> max_steps(const MetricInput& input) {
  ASSAY_ASSIGN(const double step, quantization_step(input, "max_steps"));
  const Elements elements = read_elements(input);
  const Worst worst = worst_element(elements.size(), [&](std::size_t i) {
    return steps_between(elements.actual[i], elements.reference[i], step, input.actual.dtype());
  });
  const std::string detail = fmt::format("{}, step {}", element_text(input, elements, worst.position), step);
  return MetricValue{worst.value, detail, {}, input.actual.size(), worst_at(input, elements, worst.position)};
}

}  // namespace assay::compare
