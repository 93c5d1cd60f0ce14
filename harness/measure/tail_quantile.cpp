// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tail_quantile.h"

#include <cmath>

#include "harness/measure/statistics.h"

namespace assay::measure {

std::optional<double> tail_quantile(std::span<const double> values, double p) {
  const double needed = std::round(1 / (1 - p));
  return static_cast<double>(values.size()) < needed ? std::nullopt : std::optional(quantile(values, p));
}

}  // namespace assay::measure
