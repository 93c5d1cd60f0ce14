// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/compare/metrics/all.h"
#include "harness/compare/metrics/elements.h"

namespace assay::compare {

Result<MetricValue> sqnr_db(const MetricInput& input) {
  const Elements elements = read_elements(input);
  double signal = 0.0;
  double noise = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double error = elements.errors[i];
    if (error == 0.0 && !std::isfinite(elements.reference[i])) {
      continue;
    }
    noise += error * error;
    signal += elements.reference[i] * elements.reference[i];
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double value = 0.0;
  if (std::isnan(noise) || std::isnan(signal)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (noise == 0.0) {
    value = kInfinity;
  } else if (std::isinf(noise) || signal == 0.0) {
    value = -kInfinity;
  } else {
    value = 10.0 * std::log10(signal / noise);
  }
  return MetricValue{
      value, fmt::format("signal power {:.6g}, noise power {:.6g}", signal, noise), {}, input.actual.size()};
}

}  // namespace assay::compare
