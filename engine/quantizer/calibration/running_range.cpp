// SPDX-License-Identifier: Apache-2.0
#include "engine/quantizer/calibration/running_range.h"

#include <algorithm>
#include <cmath>

namespace assay::quantizer {

ValueRange symmetric_range(const ValueRange& range) {
  const double m = std::max(std::fabs(range.min), std::fabs(range.max));
  return {.min = -m, .max = m};
}

void RunningRange::add_sample(const Scan& extremes, const Moments& moments) {
  if (!extremes.has_values()) {
    return;
  }
  all_.merge(extremes);
  collection_.merge(extremes);
  moments_.merge(moments);
  sum_min_ += static_cast<double>(extremes.min);
  sum_max_ += static_cast<double>(extremes.max);
  samples_ += 1;
}

void RunningRange::end_collection(const CalibrationOptions& options) {
  if (samples_ > 0) {
    ValueRange fresh{.min = sum_min_ / samples_, .max = sum_max_ / samples_};
    fresh = options.symmetric ? symmetric_range(fresh) : fresh;
    const double weight = has_average_ ? options.moving_average_constant : 1;
    average_.min += weight * (fresh.min - average_.min);
    average_.max += weight * (fresh.max - average_.max);
    has_average_ = true;
  }
  collection_ = {};
  sum_min_ = 0;
  sum_max_ = 0;
  samples_ = 0;
}

ValueRange RunningRange::range(const CalibrationOptions& options) const {
  if (!all_.has_values()) {
    return {};
  }
  if (options.method == Calibration::kMovingAverage) {
    return average_;
  }
  ValueRange found{.min = static_cast<double>(all_.min), .max = static_cast<double>(all_.max)};
  if (options.method == Calibration::kMeanSigma) {
    const double reach = options.sigmas * std::sqrt(moments_.m2 / moments_.count);
    found = {.min = std::max(found.min, moments_.mean - reach), .max = std::min(found.max, moments_.mean + reach)};
  }
  return options.symmetric ? symmetric_range(found) : found;
}

}  // namespace assay::quantizer
