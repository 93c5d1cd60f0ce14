// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/number_change.h"

#include <cmath>
#include <limits>

namespace assay::diff {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double change_of(double before, double after) {
  if (before == after || (std::isnan(before) && std::isnan(after))) {
    return 0;
  }
  if (std::isfinite(before) && std::isfinite(after)) {
    return after - before;
  }
  return after < before || std::isinf(before) ? -kInfinity : kInfinity;
}

bool is_within(double change, double tolerance, double magnitude) {
  return change == 0 || (std::isfinite(magnitude) && std::abs(change) <= tolerance * magnitude);
}

double relative_change(double change, double magnitude) {
  if (change == 0) {
    return 0;
  }
  return magnitude > 0 && std::isfinite(magnitude) ? change / magnitude : std::copysign(kInfinity, change);
}

}  // namespace assay::diff
