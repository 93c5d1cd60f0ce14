// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {
namespace {

// Two units in the last place of a 16-bit type, relative to the value: a chain of operators rounds after each.
double least_relative_tolerance(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBfloat16 ? 4 * half_ulp(dtype) : 0;
}

bool is_float(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}

}  // namespace

Result<MetricValue> tolerance_ratio(const MetricInput& input) {
  const Elements elements = read_elements(input);
  const DType dtype = input.reference.dtype();
  const double rtol = is_float(dtype) ? std::max(input.options.rtol, least_relative_tolerance(dtype)) : 0;
  const double atol = is_float(dtype) ? input.options.atol : 0;
  const Worst worst = worst_element(elements.size(), [&](std::size_t i) {
    const double error = elements.errors[i];
    if (error == 0.0 || !std::isfinite(error)) {
      return error;
    }
    const double allowed = atol + rtol * std::fabs(elements.reference[i]);
    return allowed == 0.0 ? std::numeric_limits<double>::infinity() : error / allowed;
  });
  return MetricValue{worst.value,
                     element_text(input, elements, worst.position),
                     {},
                     input.actual.size(),
                     worst_at(input, elements, worst.position)};
}

}  // namespace assay::compare
